import { useState } from 'react';
import { api } from '../../api.ts';
import { useAction } from '../../components/use-action.ts';
import { fieldErrorsOf } from '../../labels/errors.ts';
import { weakeningLabels } from '../../labels/protection.ts';
import { changedByProtection } from '../../queries/protection.ts';
import type { Protection, ProtectionChanges } from '../../queries/records.ts';
import { changedProtection, type ProtectionEdits, withEdits } from './changed-protection.ts';

/** As on the settings page: edits are kept apart from the record, which is read again and again. */
export const useProtection = (serverId: string, protection: Protection) => {
  const [edits, setEdits] = useState<ProtectionEdits>({});
  const save = useAction(
    (body: ProtectionChanges) => api.updateProtection({ params: { id: serverId }, body }),
    {
      message: ({ pending }) =>
        pending.length > protection.pending.length
          ? 'Saved. What weakens protection takes effect later.'
          : 'The settings were saved',
      invalidates: changedByProtection(serverId),
      onSuccess: () => setEdits({}),
      onError: () => undefined,
    },
  );
  const settings = withEdits(protection, edits);
  return {
    protection,
    settings,
    changes: changedProtection(protection, edits),
    weakened: weakeningLabels(protection, settings),
    save,
    edit: (changes: ProtectionEdits) => setEdits((before) => ({ ...before, ...changes })),
    discard: () => {
      setEdits({});
      save.reset();
    },
    errorOf: (field: keyof ProtectionEdits): string | undefined => fieldErrorsOf(save.error)[field],
  };
};

export type ProtectionForm = ReturnType<typeof useProtection>;
