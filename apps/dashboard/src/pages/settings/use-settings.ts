import { useState } from 'react';
import { api } from '../../api.ts';
import { useAction } from '../../components/use-action.ts';
import { fieldErrorsOf, isAtFields } from '../../labels/errors.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Server } from '../../queries/records.ts';
import { changedSettings, type Settings, settingNames } from './changed-settings.ts';

/**
 * Edits are kept apart from the server, which is read again and again: a change that somebody else
 * makes meanwhile shows up, and only what was edited here is sent. A form that copies its initial
 * values would do neither.
 */
export const useSettings = (server: Server) => {
  const [edits, setEdits] = useState<Partial<Settings>>({});
  const { id } = server;
  type Body = Partial<Settings> & { confirmRoleName?: string };
  const save = useAction((body: Body) => api.updateServer({ params: { id }, body }), {
    message: 'The settings were saved',
    // The guild too: another bot or guild has other roles and channels.
    invalidates: [queryKeys.server(id), queryKeys.servers, queryKeys.overview, queryKeys.guild(id)],
    onSuccess: () => setEdits({}),
    onError: () => undefined,
  });
  const settings: Settings = { ...server, ...edits };
  return {
    settings,
    changes: changedSettings(server, edits),
    save,
    edit: (changes: Partial<Settings>) => setEdits((before) => ({ ...before, ...changes })),
    discard: () => {
      setEdits({});
      save.reset();
    },
    errorOf: (field: keyof Settings): string | undefined => fieldErrorsOf(save.error)[field],
    isErrorAtFields: isAtFields(save.error, [...settingNames]),
  };
};

export type SettingsForm = ReturnType<typeof useSettings>;
