import { type IsErased, redactTextsIn } from '../../backups/erasure/redact-text.ts';
import type { UndoScope } from './scope.ts';

/**
 * The scope without people who were erased. Bans stay, by the id alone: otherwise erasing oneself would
 * be a way around a ban that an attacker lifted.
 */
export const withoutErased = (scope: UndoScope, isErased: IsErased): UndoScope => {
  return redactTextsIn(
    {
      ...scope,
      removed: scope.removed.filter((id) => !isErased(id)),
      left: scope.left?.filter((id) => !isErased(id)),
      addedBots: scope.addedBots,
      deleted: scope.deleted.map((thing) => ({ ...thing, last: redactLast(thing.last, isErased) })),
      changed: withoutTheirs(scope.changed, isErased),
      honest: withoutTheirs(scope.honest ?? [], isErased),
    },
    isErased,
  );
};

const withoutTheirs = <Field extends { key: string }, Of extends { type: string; id: string }>(
  things: readonly (Of & { fields: Field[] })[],
  isErased: IsErased,
) =>
  things
    .filter(({ type, id }) => type !== 'member' || !isErased(id))
    .map((thing) => ({
      ...thing,
      fields: thing.fields.filter(({ key }) => !key.split('.').some(isErased)),
    }));

/** The same for what is kept after the end, which needs no bans of theirs either. */
export const forgetErased = (scope: UndoScope, isErased: IsErased): UndoScope => {
  const isKept = ({ type, id }: { type: string; id: string }) => type !== 'ban' || !isErased(id);
  const { created, deleted, executors, ...rest } = withoutErased(scope, isErased);
  return {
    ...rest,
    created: created.filter(isKept),
    deleted: deleted.filter(isKept),
    executors: executors.filter((id) => !isErased(id)),
  };
};

const redactLast = (last: Record<string, unknown>, isErased: IsErased) => {
  const { overwrites } = last;
  if (!Array.isArray(overwrites)) return last;
  return { ...last, overwrites: overwrites.filter((one) => !isErased(String(one?.id))) };
};
