import { findBlockers } from './blockers.ts';
import { type Community, surveyCommunity } from './community.ts';
import { warnOfGainedPermissions } from './gained-permissions.ts';
import { emptyIdMap, type IdMap } from './id-map.ts';
import { channelKey, planChannels, repointKey } from './plan-channels.ts';
import { planEmojis, planStickers } from './plan-expressions.ts';
import { planBans, planMembers } from './plan-people.ts';
import { planRoles } from './plan-roles.ts';
import { planSettings, settingsStep } from './plan-settings.ts';
import { planShields } from './plan-shields.ts';
import { joinParts, type Part, type RestoreWish, type Scene, surveyScene } from './scene.ts';
import { type Draft, type RestorePlan, type Step, stages } from './step.ts';

/**
 * Everything a restore will do, known before its first change. It is decided here and nowhere else:
 * running a plan is only walking through its steps.
 */
export const planRestore = (wish: RestoreWish): RestorePlan => {
  const scene = surveyScene(wish);
  const community = surveyCommunity(scene);
  const { restores } = scene;
  const parts: Part[] = [
    ...(restores('roles') ? [planShields(scene), planRoles(scene)] : []),
    // Before channels, which may show them.
    ...(restores('emojis') ? [planEmojis(scene)] : []),
    ...(restores('stickers') ? [planStickers(scene)] : []),
    ...(restores('channels') ? [withEarlyRepoint(planChannels(scene, community), community)] : []),
    ...(restores('bans') ? [planBans(scene)] : []),
    ...(restores('memberRoles') ? [planMembers(scene)] : []),
    planSettings(scene, community),
    ...(wish.components.includes('messages') ? [messagesStay] : []),
  ];
  const { steps, losses, warnings, blockers } = joinParts(parts);
  const numbered = numberSteps(steps);
  const idMap = knownIds(scene);
  const actions = numbered.map(({ action }) => action);
  return {
    steps: numbered,
    losses,
    warnings: [...warnOfGainedPermissions(scene, actions, idMap.roles), ...warnings],
    blockers: [...blockers, ...findBlockers(scene, numbered)],
    idMap,
  };
};

const messagesStay: Part = {
  steps: [],
  losses: [
    { type: 'message', name: 'messages', reason: 'they are kept to be read, not written again' },
  ],
};

/**
 * Only where there is no room for all old channels until the end: a community's rules and updates must
 * be handed over before their channels can go. The heirs are the first channels that are made.
 */
const withEarlyRepoint = (part: Part, { isNow, rules, updates }: Community): Part => {
  const early = part.steps.find(
    ({ stage, action, after }) =>
      action.do === 'deleteChannel' && stage.startsWith('build') && after.includes(repointKey),
  );
  if (!early || !isNow) return part;
  const channels = { rulesChannelId: rules, publicUpdatesChannelId: updates };
  const heirs = [rules, updates].flatMap((ref) => (ref && 'backup' in ref ? [ref.backup] : []));
  const step = {
    ...settingsStep(early.stage, repointKey, { changes: {}, channels, pictures: {} }),
    after: heirs.map(channelKey),
  };
  return { ...part, steps: part.steps.toSpliced(part.steps.indexOf(early), 0, step) };
};

/** In the order of the stages. Waiting for a step of an earlier stage goes without saying. */
const numberSteps = (drafts: Draft[]): Step[] => {
  const sorted = stages.flatMap((stage) => drafts.filter((draft) => draft.stage === stage));
  const seqs = new Map(sorted.map(({ key, stage }, index) => [`${stage} ${key}`, index + 1]));
  return sorted.map(({ key, after, ...step }, index) => ({
    ...step,
    seq: index + 1,
    after: after.flatMap((other) => seqs.get(`${step.stage} ${other}`) ?? []),
  }));
};

const knownIds = ({ desired, present, roleMatch, restores }: Scene): IdMap => {
  const map = emptyIdMap();
  for (const [oldId, role] of roleMatch) map.roles[oldId] = role.id;
  // A backup without roles still names them in its channels: by ids that are good in its own server.
  if (!desired.roles) for (const { id } of present.roles) map.roles[id] = id;
  map.roles[desired.guildId] = present.guildId;
  const emojis = new Set(desired.emojis?.map(({ id }) => id));
  for (const { id } of present.emojis) {
    if (!restores('emojis') || emojis.has(id)) map.emojis[id] = id;
  }
  const stickers = new Set(desired.stickers?.map(({ id }) => id));
  for (const { id } of present.stickers) if (stickers.has(id)) map.stickers[id] = id;
  return map;
};
