import { type Endpoint, fieldsRequiringCode } from '@holdfast/contract';
import { secondFactorRequired } from '../../kernel/errors.ts';
import type { Caller } from '../context.ts';

type Entry = Pick<Endpoint, 'freshSecondFactor'>;

/** For endpoints that always need a fresh code: refuses before the input is read. */
export const requireFreshCode = (
  { freshSecondFactor }: Entry,
  { secondFactor }: Pick<Caller, 'secondFactor'>,
): void => {
  if (secondFactor === 'due' && freshSecondFactor === 'always') throw secondFactorRequired();
};

/** For endpoints whose body, what it would change, or the stored record decides whether a fresh code is needed. */
export const createFreshCodeCheck = (
  { freshSecondFactor }: Entry,
  { secondFactor }: Pick<Caller, 'secondFactor'>,
  input: unknown,
) => {
  const { whenFields, whenChanges, whenStored } =
    typeof freshSecondFactor === 'object' ? freshSecondFactor : {};
  const body = typeof input === 'object' && input !== null ? input : {};
  return {
    requireForFields(): void {
      if (secondFactor === 'due' && fieldsRequiringCode(whenFields, body).length > 0) {
        throw secondFactorRequired();
      }
    },
    /** One for every run of the handler, because the transaction may be repeated. */
    forChanges() {
      let isCompared = whenChanges === undefined && whenStored === undefined;
      return {
        requireCodeForChanges(stored: object): void {
          isCompared = true;
          const fields = [
            ...fieldsRequiringCode(whenChanges, body, stored),
            ...fieldsRequiringCode(whenStored, stored),
          ];
          if (secondFactor === 'due' && fields.length > 0) throw secondFactorRequired();
        },
        /** A handler that did not compare must not commit. */
        requireCompared(): void {
          if (!isCompared) {
            throw new Error('The handler compared no stored record with the changes');
          }
        },
      };
    },
  };
};
