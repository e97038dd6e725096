import { jobEntry } from '../../queue/job.ts';
import {
  lookAtAll,
  lookAtAllJob,
  lookAtPanelsJob,
  lookAtPanelsOf,
  postDuePanels,
  postDuePanelsJob,
  postPanelsJob,
  postPanelsOf,
  removeMessagesJob,
  removeMessagesOf,
} from './jobs.ts';
import { followGuild, followMove, leaveGuild } from './post/follow-guild.ts';
import { listPanelMessages } from './queries/guild.ts';
import { purgePanelPictures, purgePanels } from './queries/panels.ts';
import { panelHandlers } from './routes.ts';

/**
 * Panels: messages of a server's bot, each with a button that opens the verification page.
 *
 * - `routes.ts`, `queries/panels.ts`, `rules.ts`: the panels as their owner wants them.
 * - `post/`: the job that makes the messages on the platform equal to them. Before a message is posted
 *   the attempt is stored; a post of unknown outcome is looked for before it is repeated. After restores
 *   and moves of the server it finds the channels again (`follow-guild.ts`). Another job looks whether
 *   messages are still there (`look-at-panels.ts`).
 */
export const panels = {
  handlers: panelHandlers,
  jobs: [
    jobEntry(postPanelsOf, postPanelsJob),
    jobEntry(lookAtPanelsOf, lookAtPanelsJob),
    jobEntry(lookAtAll, lookAtAllJob),
    jobEntry(postDuePanels, postDuePanelsJob),
    jobEntry(removeMessagesOf, removeMessagesJob),
  ],
  followMove,
  leaveGuild,
  followGuild,
  listMessages: listPanelMessages,
  purgeServer: [purgePanelPictures, purgePanels],
};
