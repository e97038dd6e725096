import type { Channel } from '../../platform/guild.ts';
import { includes, permission, without } from '../../platform/permissions.ts';
import { canManage, letBotIn } from './bot-in-channel.ts';
import type { Part, Scene } from './scene.ts';
import type { Draft } from './step.ts';
import { hideFromEveryone, isVisibleToEveryone } from './visibility.ts';

/**
 * A channel may be hidden only because nobody may see channels in general. Where the backup's roles
 * give that right, such a channel is shut by name before: it lives on until the restore deletes it, or
 * for good where channels are not restored.
 */
export const planShields = (scene: Scene): Part => {
  const exposed = scene.present.channels.filter((channel) => wouldOpen(scene, channel));
  const { powers, present } = scene;
  const unreachable = exposed.filter((channel) => !canManage(powers, channel, present.guildId));
  return {
    steps: exposed.map((channel) => shieldStep(scene, channel)),
    losses: [],
    warnings: scene.restores('channels')
      ? []
      : exposed.map(({ name }) => `#${name} is hidden now and is kept so by a rule of its own.`),
    blockers: unreachable.map(
      ({ name }) =>
        `The bot cannot reach #${name}, which the restored roles would open to everyone.`,
    ),
  };
};

const wouldOpen = (scene: Scene, { overwrites }: Channel): boolean => {
  const { everyone, present } = scene;
  const isHidden = (permissions: bigint) =>
    !isVisibleToEveryone(permissions, overwrites, present.guildId);
  if (!isHidden(everyone.now)) return false;
  // Administrators cannot be kept out; @everyone becomes one only when this channel is gone.
  const gained = without(everyone.now | everyone.final, permission.administrator);
  // With everyone's sight taken for granted, only a channel shut by name stays hidden.
  const seen = someRoleGainsSight(scene) ? gained | permission.viewChannel : gained;
  return !isHidden(seen);
};

const someRoleGainsSight = ({ roleMatch, wantedRoles, restores }: Scene): boolean =>
  restores('roles') &&
  wantedRoles.some(({ id, permissions }) => {
    const current = roleMatch.get(id);
    const gained = current ? without(BigInt(permissions), BigInt(current.permissions)) : 0n;
    return includes(gained, permission.viewChannel);
  });

const shieldStep = ({ powers, present }: Scene, channel: Channel): Draft => ({
  key: `shield ${channel.id}`,
  stage: 'tighten',
  after: [],
  action: {
    do: 'setOverwrites',
    channel: { present: channel.id },
    purpose: 'shield',
    overwrites: letBotIn(powers, hideFromEveryone(channel.overwrites, present.guildId)),
  },
  type: 'channel',
  name: channel.name,
  effect: 'update',
});
