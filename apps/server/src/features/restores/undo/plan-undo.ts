import type { BackupComponent } from '@holdfast/contract';
import type { BotMember } from '../../../platform/permissions.ts';
import { planRestore } from '../plan/plan-restore.ts';
import type { RestorePlan } from '../plan/step.ts';
import { liveUndo, type UndoThings } from './live-undo.ts';
import type { PlaceOf } from './places.ts';
import type { UndoInput } from './scope.ts';
import { concernedComponents, wantedGuild } from './wanted-guild.ts';
import { notesOnPower } from './withheld.ts';

/** `reachable` of them a pull can add again. */
export type PeopleGone = { count: number; reachable: number };

export type UndoPlanning = {
  bot: BotMember;
  components: readonly BackupComponent[];
  gone: PeopleGone;
};

/** The repair of exactly what the scope names, and what it cannot bring back. */
export const planUndo = (
  things: UndoThings,
  { bot, components, gone }: UndoPlanning,
): RestorePlan => {
  const input = liveUndo(things);
  const plan = planSteps(input, { bot, components });
  return {
    ...plan,
    notes: [
      ...plan.notes,
      ...notesOn(input, components),
      ...(gone.count === 0 ? [] : [{ code: 'peopleRemoved' as const, ...gone }]),
    ],
  };
};

export const planSteps = (
  input: UndoInput,
  { bot, components }: { bot: BotMember; components: readonly BackupComponent[] },
): RestorePlan =>
  planRestore({
    ...{ snapshot: wantedGuild(input), current: input.current, bot },
    components: concernedComponents(input, components),
    ...{ mode: 'REPAIR', isUndo: true, invitesToDelete: invitesOf(input) },
  });

/** Those that are still there. */
const invitesOf = ({ scope, current }: UndoInput): string[] =>
  scope.created
    .filter(({ type, id }) => type === 'invite' && current.parts?.inviteCodes?.includes(id))
    .map(({ id }) => id);

const notesOf = ({ scope, withheld = [] }: UndoInput): RestorePlan['notes'] => [
  ...withheld,
  ...movedNotes(scope),
  ...scope.created
    .filter(({ type, isEditedByOthers }) => type !== 'ban' && type !== 'invite' && isEditedByOthers)
    .map(({ type, name, id }) => ({
      ...{ code: 'deletedThoughEdited' as const, name: `${type} ${name ?? id}` },
    })),
  ...(scope.addedBots.length === 0
    ? []
    : [{ code: 'botsAdded' as const, count: scope.addedBots.length }]),
  ...scope.deleted
    .filter(({ byHand }) => byHand !== undefined)
    .map(({ type, id, last }) => ({
      ...{ code: 'madeByHand' as const, name: `${type} ${last.name ?? id}` },
    })),
  // Of people, bots and the vanity address there are notes of their own, which tell more.
  ...(scope.lost ?? [])
    .filter((what) => what !== 'people' && what !== 'bots' && what !== 'vanity')
    .map((what) => ({ code: 'notBroughtBack' as const, what })),
];

const notesOn = (input: UndoInput, components: readonly BackupComponent[]) => [
  ...notesOf(input),
  ...(concernedComponents(input, components).includes('onboarding') ? notesOnPower(input) : []),
];

const movedNotes = ({ places }: UndoInput['scope']): RestorePlan['notes'] => {
  if (!places) return [];
  const count = (type: PlaceOf['type']) =>
    places.during.filter((place) => place.type === type).length;
  const [channels, roles] = [count('channel'), count('role')];
  return [{ code: 'movedBack', channels, roles, backedUpAt: places.backedUpAt }];
};
