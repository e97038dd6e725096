import type { Panel } from '../queries/panels.ts';

type Status = { label: string; color: string };

const statusLabels: Record<Panel['status'], Status> = {
  POSTED: { label: 'Posted', color: 'green' },
  MISSING: { label: 'Not in the channel', color: 'yellow' },
  FAILED: { label: 'Refused', color: 'red' },
};

type PanelState = Pick<Panel, 'status' | 'error' | 'messageId' | 'updatedAt'>;

/** Within this time after a change the bot is expected to be at work. */
const postingMs = 15_000;

/** A message that was never posted and met no problem is being posted now. */
export const panelStatus = (panel: PanelState, now = Date.now()): Status =>
  isBeingPosted(panel, now) ? { label: 'Being posted', color: 'blue' } : statusLabels[panel.status];

const isBeingPosted = ({ status, error, messageId, updatedAt }: PanelState, now: number): boolean =>
  status === 'MISSING' &&
  error === null &&
  messageId === null &&
  now - Date.parse(updatedAt) < postingMs;

/** What is wrong and what helps; undefined where nothing is to be done. */
export const panelProblem = (panel: PanelState, now = Date.now()): string | undefined => {
  if (panel.status === 'POSTED' || isBeingPosted(panel, now)) return panel.error ?? undefined;
  if (panel.error !== null) return panel.error;
  return panel.status === 'FAILED'
    ? 'The platform refused the message. Post it again, or choose another channel.'
    : 'Somebody deleted the message, or it was not posted yet. Newcomers have no button here.';
};

/** As the platform takes it, from `#RRGGBB`. */
export const colorNumber = (hex: string): number => Number.parseInt(hex.slice(1), 16) || 0;

/** For a field: black is a colour too. */
export const colorHex = (color: number): string => `#${color.toString(16).padStart(6, '0')}`;

/** What a new panel begins with: to post it, only a channel has to be chosen. */
export const firstPanel = (serverName: string) => ({
  title: `Welcome to ${serverName}`.slice(0, 256),
  text: 'Press the button to verify. It takes less than a minute and opens in your browser.',
  color: 0x0f5f66,
  buttonText: 'Verify',
});
