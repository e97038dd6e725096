import { jobEntry } from '../../queue/job.ts';
import { postPanelsJob, postPanelsOf } from './jobs.ts';
import { followChannels, followMove } from './post/follow-guild.ts';
import { listPanelMessages, purgePanelPictures, purgePanels } from './queries.ts';
import { panelHandlers } from './routes.ts';

/**
 * Panels: messages of a server's bot, each with a button that opens the verification page.
 *
 * - `routes.ts`, `queries.ts`, `rules.ts`: the panels as their owner wants them.
 * - `post/`: the job that makes the messages on the platform equal to them. Before a message is posted
 *   the attempt is stored; a post of unknown outcome is looked for before it is repeated. After restores
 *   and moves of the server it finds the channels again (`follow-guild.ts`).
 */
export const panels = {
  handlers: panelHandlers,
  jobs: [jobEntry(postPanelsOf, postPanelsJob)],
  followMove,
  followChannels,
  listMessages: listPanelMessages,
  purgeServer: [purgePanelPictures, purgePanels],
};
