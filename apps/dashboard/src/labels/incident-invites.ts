import type { IncidentCourse } from '../queries/records.ts';

type Paused = {
  invitesPausedUntil: IncidentCourse['invitesPausedUntil'];
  steps: Pick<IncidentCourse['steps'][number], 'kind' | 'status' | 'at' | 'endedAt'>[];
};

/** How the pause of the invites stands, and the time that belongs to it where it is known. */
export const invitesState = (
  { invitesPausedUntil: until, steps }: Paused,
  now: number,
): { text: string; at?: string } => {
  if (until !== null && Date.parse(until) > now)
    return { text: 'Invites are paused until', at: until };
  if (until !== null) return { text: 'The pause of the invites ended at', at: until };
  const done = steps.filter(({ status }) => status === 'done');
  const resumed = done.findLast(({ kind }) => kind === 'RESUME_INVITES');
  if (resumed) return { text: 'Invites work again since', at: resumed.endedAt ?? resumed.at };
  const isPauseOver = done.some(({ kind }) => kind === 'PAUSE_INVITES');
  return { text: isPauseOver ? 'Invites work again' : 'Invites are not paused' };
};
