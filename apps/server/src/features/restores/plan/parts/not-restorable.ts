import type { PlanParts } from './parts-context.ts';

/** What no API brings back: it is noted, so that the owner knows what to do by hand. */
export const noteWhatStaysLost = ({ context }: PlanParts): void => {
  const { snapshot, current, notes } = context;
  const saved = snapshot.settings?.[0];
  const vanityCode = saved?.vanityCode ?? null;
  if (vanityCode !== null && vanityCode !== current.parts?.vanityCode) {
    notes.push({ code: 'vanityNotSet', name: vanityCode });
  }
  const live = new Set(current.parts?.inviteCodes ?? []);
  const gone = (saved?.invites ?? []).filter(({ code }) => !live.has(code));
  // Those of channels that are deleted go with them.
  const count = context.restores('channels') ? (saved?.invites ?? []).length : gone.length;
  if (count > 0) notes.push({ code: 'invitesNotMade', name: String(count) });
};
