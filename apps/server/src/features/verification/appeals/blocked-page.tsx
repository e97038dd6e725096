/** @jsxImportSource hono/jsx */
import type { BlockReason } from '@holdfast/contract';
import { appealPath, type PageRequest, visitPath } from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import { findLastAppeal } from '../queries/appeals.ts';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import { longestAppealLength } from '../rules.ts';

type RefusedAppeal = { message: string; error: string };

/** Why the newcomer was blocked, what they can do, and a form to appeal. */
export const sendBlocked = async (
  request: PageRequest,
  pending: PendingVerification,
  refused?: RefusedAppeal,
) => {
  const { server, db } = request;
  const { title, message } = blockTexts[pending.blockReason ?? 'FIREWALL'];
  const appeal = await findLastAppeal(db, server, pending.platformId);
  return sendServerPage(
    request,
    { title, status: refused ? 400 : 403, tone: 'bad' },
    <>
      <p>{message}</p>
      {appeal?.status === 'OPEN' ? (
        <p role="status">
          <strong>The owner has your message.</strong> If they let you in, verify once more with the
          same link.
        </p>
      ) : (
        <AppealForm serverId={server.id} refused={refused} />
      )}
      <p>
        <a class="button plain" href={visitPath(server.id)}>
          Try again
        </a>
      </p>
    </>,
  );
};

/** They never say which rule matched, nor what it was compared with. */
const blockTexts: Record<BlockReason, { title: string; message: string }> = {
  BLACKLIST: {
    title: 'You cannot come in',
    message: "The server's owner does not let this account in.",
  },
  FIREWALL: {
    title: 'You cannot come in',
    message:
      "The server's owner has set rules on who may come in, and one of them fits your account or connection.",
  },
  VPN: {
    title: 'Your connection looks like a VPN',
    message:
      'This server lets nobody in through VPNs and hosting networks. Switch it off, or use another connection such as mobile data, and try again.',
  },
  ALT: {
    title: 'You seem to be here already',
    message:
      'Another account was verified from your device or connection. People who share a home can look like this by mistake: if so, tell the owner below.',
  },
  ACCOUNT_AGE: {
    title: 'Your account is too new',
    message:
      'This server lets accounts in only once they have reached a certain age. Try again later, or tell the owner why they can trust you.',
  },
  CAPTCHA: {
    title: 'The check did not work',
    message: 'Your browser did not solve its task. Please try again.',
  },
};

const AppealForm = ({ serverId, refused }: { serverId: string; refused?: RefusedAppeal }) => (
  <form method="post" action={appealPath(serverId)}>
    <h2>A mistake?</h2>
    <p>
      <label for="message">Tell the owner why they should let you in:</label>
    </p>
    <textarea
      id="message"
      name="message"
      required
      maxlength={longestAppealLength}
      aria-invalid={refused ? 'true' : undefined}
      aria-describedby={refused ? 'message-hint message-trouble' : 'message-hint'}
    >
      {refused?.message}
    </textarea>
    {refused && (
      <p id="message-trouble" role="alert">
        {refused.error}
      </p>
    )}
    <p class="quiet" id="message-hint">
      Up to {longestAppealLength} characters. They see your name and id with it.
    </p>
    <button type="submit">Send to the owner</button>
  </form>
);
