import { inParallel } from '../../../kernel/concurrency.ts';
import type { Guild, ImageRef } from '../../../platform/port.ts';
import type { SectionEntry, SectionName } from '../snapshot/snapshot.ts';
import type { CaptureContext } from './capture-context.ts';
import { captureImage } from './capture-images.ts';

type Part = Extract<
  SectionName,
  'automod' | 'onboarding' | 'welcomeScreen' | 'events' | 'soundboard' | 'webhooks'
>;

/** The guild itself, which is read at the same time. */
type ReadGuild = () => Promise<Guild>;

const filesAtOnce = 4;

/** How each part is read, by one call and one more for each picture or sound. */
const readers: {
  [Name in Part]: (context: CaptureContext, readGuild: ReadGuild) => Promise<SectionEntry<Name>[]>;
} = {
  automod: ({ guild }) => guild.readAutomodRules(),

  /** Only a community has it: of other guilds there is nothing to ask for. */
  async onboarding({ guild }, readGuild) {
    const { settings } = await readGuild();
    return settings.features.includes('COMMUNITY') ? [await guild.readOnboarding()] : [];
  },

  async welcomeScreen({ guild }, readGuild) {
    const { settings } = await readGuild();
    if (!settings.features.includes('COMMUNITY')) return [];
    const screen = await guild.readWelcomeScreen();
    const isEnabled = settings.features.includes('WELCOME_SCREEN_ENABLED');
    const isEmpty = !screen?.description && !screen?.channels.length;
    return screen && (isEnabled || !isEmpty) ? [{ ...screen, isEnabled }] : [];
  },

  async events(context) {
    return inParallel(filesAtOnce, await context.guild.readEvents(), async (event) => {
      const { id: eventId, imageHash: hash, name } = event;
      const ref: ImageRef | null = hash === null ? null : { kind: 'eventCover', eventId, hash };
      return { ...event, image: ref && (await captureImage(context, ref, `The event ${name}`)) };
    });
  },

  async soundboard(context) {
    return inParallel(filesAtOnce, await context.guild.readSounds(), async (sound) => {
      const ref = { kind: 'sound', soundId: sound.id } as const;
      return { ...sound, sound: await captureImage(context, ref, `The sound ${sound.name}`) };
    });
  },

  async webhooks(context) {
    return inParallel(filesAtOnce, await context.guild.readWebhooks(), async (webhook) => {
      const { id: webhookId, avatarHash: hash, name } = webhook;
      const ref: ImageRef | null =
        hash === null ? null : { kind: 'webhookAvatar', webhookId, hash };
      const label = `The webhook ${name ?? webhookId}`;
      return { ...webhook, avatar: ref && (await captureImage(context, ref, label)) };
    });
  },
};

export const capturedParts = Object.keys(readers) as Part[];

/** Reads one part. */
export const capturePart = async <Name extends Part>(
  context: CaptureContext,
  readGuild: ReadGuild,
  part: Name,
): Promise<void> => {
  context.progress.expect(1);
  await context.sink.add(part, await readers[part](context, readGuild));
  context.progress.complete(1);
};
