import { jobEntry } from '../../queue/job.ts';
import { isSignedInOwner, sessionAuth } from './dashboard/authenticate.ts';
import { mountPictures } from './dashboard/pictures.ts';
import { expireSessions, expireSessionsJob } from './jobs.ts';
import { findSignedIn } from './queries.ts';
import { sessionHandlers } from './routes.ts';
import { mountCodePage } from './second-factor/code-page.tsx';
import { rewrapFactors } from './second-factor/factor-secret.ts';
import { sealedFactors } from './second-factor/queries.ts';
import { secondFactorHandlers } from './second-factor/routes.ts';
import { mountSignIn } from './sign-in/sign-in.tsx';

/**
 * Sessions: people who signed in with the platform, for the dashboard and for `/me`.
 *
 * - `sign-in/`: the OAuth sign-in and sign-out, and the session's cookie.
 * - `second-factor/`: the code that an account can require: its secret, its check, recovery codes, and
 *   the page that asks for it during the sign-in.
 * - `dashboard/`: authenticates the dashboard's requests and serves images of the platform to it.
 * - `routes.ts`: the list of a person's sessions, and how to end them.
 */
export const sessions = {
  dashboardHandlers: (dependencies: Parameters<typeof secondFactorHandlers>[0]) => ({
    ...sessionHandlers,
    ...secondFactorHandlers(dependencies),
  }),
  mount(app: Parameters<typeof mountSignIn>[0], dependencies: PageDependencies): void {
    mountSignIn(app, dependencies);
    mountCodePage(app, dependencies);
    mountPictures(app, dependencies);
  },
  auth: sessionAuth,
  isSignedInOwner,
  findSignedIn,
  jobs: [jobEntry(expireSessions, expireSessionsJob)],
  sealedRows: sealedFactors,
  rewrap: rewrapFactors,
};

type PageDependencies = Parameters<typeof mountSignIn>[1] &
  Parameters<typeof mountCodePage>[1] &
  Parameters<typeof mountPictures>[1];
