import { type Endpoint, fieldsAskingForCode } from '@holdfast/contract';
import { confirmFirst } from '../kernel/errors.ts';
import type { Caller } from './caller.ts';

/** Refuses before the input is read, where the entry asks for a fresh code whatever the input is. */
export const requireCodeAtOnce = (
  { freshSecondFactor }: Pick<Endpoint, 'freshSecondFactor'>,
  { mustConfirm }: Pick<Caller, 'mustConfirm'>,
): void => {
  if (mustConfirm && freshSecondFactor === 'always') throw confirmFirst();
};

/** The part that depends on the body, and on what the body would change. */
export const createCodeCheck = (
  { freshSecondFactor }: Pick<Endpoint, 'freshSecondFactor'>,
  { mustConfirm }: Pick<Caller, 'mustConfirm'>,
  body: unknown,
) => {
  const { whenFields, whenChanges } =
    typeof freshSecondFactor === 'object' ? freshSecondFactor : {};
  const given = typeof body === 'object' && body !== null ? body : {};
  return {
    byFields(): void {
      if (mustConfirm && fieldsAskingForCode(whenFields, given).length > 0) throw confirmFirst();
    },
    /** Anew for every run of the handler, which the transaction may repeat. */
    ofChanges() {
      let isLookedAt = whenChanges === undefined;
      return {
        requireCodeForChanges(stored: object): void {
          isLookedAt = true;
          if (mustConfirm && fieldsAskingForCode(whenChanges, given, stored).length > 0) {
            throw confirmFirst();
          }
        },
        /** A handler that forgot to compare must not commit. */
        demandLookedAt(): void {
          if (!isLookedAt) {
            throw new Error('The handler compared no stored record with the changes');
          }
        },
      };
    },
  };
};
