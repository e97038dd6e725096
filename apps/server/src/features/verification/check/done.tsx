/** @jsxImportSource hono/jsx */
import { browserHash } from '../../../http/pages/cookies.ts';
import { sendPage } from '../../../http/pages/page.tsx';
import { findGrantOf } from '../grants/queries.ts';
import { findPassage } from '../passages/queries.ts';
import { checkPath } from '../paths.ts';
import type { Door } from '../queries.ts';
import { pictureOriginsOf, ServerHead } from '../server-head.tsx';
import { sendStartAgain } from '../start-again.tsx';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';

const lookAgainSeconds = 2;

/** The last stop: verified, and whether the role is there yet. */
export const showDone = async (context: PageContext, door: Door, tools: VerificationTools) => {
  const passage = await findPassage(tools.db, browserHash(context), door.id);
  if (!passage) return sendStartAgain(context, 'lost', door.id);
  if (passage.outcome !== 'verified') return context.redirect(checkPath(door.id), 303);
  const grant = await findGrantOf(tools.db, passage);
  const isWaiting = grant?.status === 'waiting';
  return sendPage(
    context,
    {
      title: `Verified for ${door.name}`,
      tone: 'good',
      pictureOrigins: pictureOriginsOf(door),
      refreshSeconds: isWaiting ? lookAgainSeconds : undefined,
    },
    <>
      <ServerHead server={door} title="You are verified" />
      <p role="status">{roleWords(grant)}</p>
      <p class="quiet">
        {passage.wantsRecovery
          ? 'The owner may bring you back if the server is lost, as you agreed.'
          : 'You did not agree to be brought back if the server is lost. To change that, verify again.'}
      </p>
    </>,
  );
};

type Grant = { status: string; error: string | null } | undefined;

const roleWords = (grant: Grant): string => {
  if (grant?.status === 'waiting') {
    return grant.error ?? 'Your role is on its way. This page looks again by itself.';
  }
  if (grant?.status === 'failed') {
    return grant.error ?? "Your role could not be given. Please tell the server's owner.";
  }
  return 'All done. You can close this page and go back to the server.';
};
