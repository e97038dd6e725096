import { accentProblem } from '@holdfast/contract/checks';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useAction } from '../../components/use-action.ts';
import { fieldErrorsOf, isAtFields } from '../../labels/errors.ts';
import type { VerifyPage } from '../../queries/panels.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import { type Looks, looksOf, settingsOf } from './looks.ts';

const settingNames = ['title', 'welcome', 'accent', 'logoUploadId', 'backgroundUploadId'] as const;

/** Edits are kept apart from what is stored, as in the server's settings; only they are sent. */
export const useVerifyPage = (serverId: string, stored: VerifyPage) => {
  const [edits, setEdits] = useState<Partial<Looks>>({});
  const looks: Looks = { ...looksOf(stored), ...edits };
  const after = settingsOf(looks);
  const changed = settingNames.filter((name) => after[name] !== stored[name]);
  const save = useAction(
    () =>
      api.updateVerifyPage({
        params: { id: serverId },
        body: Object.fromEntries(changed.map((name) => [name, after[name]])),
      }),
    {
      message: 'The verify page was saved',
      invalidates: [queryKeys.verifyPage(serverId)],
      onSuccess: () => setEdits({}),
      onError: () => undefined,
    },
  );
  const problem = looks.accent === '' ? undefined : accentProblem(looks.accent);
  return {
    looks,
    changed,
    save,
    /** Why the accent cannot be saved, said as it is typed. */
    accentProblem: problem,
    edit: (changes: Partial<Looks>) => setEdits((before) => ({ ...before, ...changes })),
    discard: () => {
      setEdits({});
      save.reset();
    },
    errorOf: (name: (typeof settingNames)[number]): string | undefined =>
      fieldErrorsOf(save.error)[name],
    isErrorAtFields: isAtFields(save.error, [...settingNames]),
  };
};

export type VerifyPageForm = ReturnType<typeof useVerifyPage>;
