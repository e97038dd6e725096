import type { BackupComponent } from '@holdfast/contract';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { Guild, GuildPlatform } from '../../../platform/port.ts';
import { isAccessRefused } from '../../backups/capture/failure-message.ts';
import { isSectionFailure } from '../../backups/capture/section-failure.ts';
import type { LiveParts } from '../plan/parts/live-parts.ts';
import { noOnboarding } from '../plan/parts/newcomers.ts';
import type { GuildState } from '../plan/step.ts';

/** Bans, members and parts are read only where they are restored. */
export const readGuild = async (
  guildId: string,
  guild: GuildPlatform,
  components: readonly BackupComponent[],
): Promise<GuildState> => {
  const [core, channels, bans, members] = await Promise.all([
    guild.read(),
    guild.readChannels(),
    components.includes('bans')
      ? readAll((after) => guild.readBans(after)).catch(ignoreUnreadable)
      : undefined,
    components.includes('memberRoles')
      ? readAll((after) => guild.readMembers(after)).catch(ignoreAccessRefusal)
      : undefined,
  ]);
  const { memberCount: _, widget: __, vanityCode: ___, ...read } = core;
  const parts = await readParts(guild, core, components);
  return { guildId, ...read, channels, bans, members, parts };
};

const usesOnboarding: BackupComponent[] = ['onboarding', 'roles', 'channels'];

/** A part that the bot may not read is absent, and the plan says so. */
const readParts = async (
  guild: GuildPlatform,
  { widget, vanityCode, settings }: Guild,
  components: readonly BackupComponent[],
): Promise<LiveParts> => {
  // Only a community has an onboarding and a welcome screen: of other guilds nothing is asked.
  const isCommunity = settings.features.includes('COMMUNITY');
  const readIf = <Part>(component: BackupComponent, read: () => Promise<Part>) =>
    components.includes(component) ? read().catch(ignoreRefusal) : undefined;
  // It says which channels cannot be hidden.
  const onboardingReader = components.find((name) => usesOnboarding.includes(name));
  const [automod, onboarding, screen, events, soundboard, webhooks, invites] = await Promise.all([
    readIf('automod', () => guild.readAutomodRules()),
    onboardingReader &&
      readIf(onboardingReader, async () => (isCommunity ? guild.readOnboarding() : noOnboarding)),
    readIf('welcomeScreen', async () =>
      isCommunity ? ((await guild.readWelcomeScreen()) ?? null) : null,
    ),
    readIf('events', () => guild.readEvents()),
    readIf('soundboard', () => guild.readSounds()),
    readIf('webhooks', () => guild.readWebhooks()),
    readIf('settings', () => guild.readInvites()),
  ]);
  const isEnabled = settings.features.includes('WELCOME_SCREEN_ENABLED');
  const welcomeScreen = screen && { ...screen, isEnabled };
  const inviteCodes = invites?.map(({ code }) => code);
  const about = { widget, vanityCode, inviteCodes };
  return { ...about, automod, onboarding, welcomeScreen, events, soundboard, webhooks };
};

/** Without a privileged intent the platform does not list members. */
export const ignoreAccessRefusal = (error: unknown): undefined => {
  if (!isAccessRefused(error)) throw error;
};

const ignoreRefusal = (error: unknown): undefined => {
  if (!isSectionFailure(error)) throw error;
};

/** The bot may not see the bans, or they were read too often lately: then they are left alone. */
const ignoreUnreadable = (error: unknown): undefined => {
  const isUsedUp = error instanceof PlatformFailure && error.kind === 'banReadsUsedUp';
  if (!isUsedUp) ignoreAccessRefusal(error);
};

export const pageSize = 1000;
/** The platform's cursor before the first user. */
export const firstCursor = '0';

const readAll = async <Person extends { userId: string }>(
  readPage: (afterUserId: string) => Promise<Person[]>,
): Promise<Person[]> => {
  const all: Person[] = [];
  for (let after = firstCursor; ; ) {
    const page = await readPage(after);
    all.push(...page);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return all;
    after = last.userId;
  }
};
