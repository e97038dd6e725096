import { useState } from 'react';
import { api } from '../../../api.ts';
import { fieldError } from '../../../parts/error-words.ts';
import { useAct } from '../../../parts/use-act.ts';
import type { Server } from '../../../parts/use-server.ts';
import { changedSettings, type Settings } from './changed-settings.ts';

/**
 * What was edited lies over the server as it is, which is read anew all the time: a change that
 * somebody else makes meanwhile shows up, and nothing that was not touched here is sent.
 */
export const useSettings = (server: Server) => {
  const [edits, setEdits] = useState<Partial<Settings>>({});
  const { id } = server;
  const save = useAct((body: Partial<Settings>) => api.updateServer({ params: { id }, body }), {
    done: 'The settings were saved',
    touches: [['server', id], ['servers'], ['overview']],
    onDone: () => setEdits({}),
    isQuietOnError: true,
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
    errorOf: (field: keyof Settings) => fieldError(save.error, field),
  };
};

export type SettingsForm = ReturnType<typeof useSettings>;
