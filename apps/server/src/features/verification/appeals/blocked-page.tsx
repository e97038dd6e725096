/** @jsxImportSource hono/jsx */
import { appealPath, checkPath, type PageRequest, visitPath } from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import { findLastAppeal } from '../queries/appeals.ts';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import { appealStanding, longestAppealLength } from '../rules.ts';
import type { VerificationTexts } from '../texts/en.ts';
import { textsOf } from '../texts/verification-texts.ts';

/** What was typed into a form that was not accepted. */
type RefusedAppeal = { message: string };

/** Where a blocked newcomer stands: blocked, waiting for the owner, or with the owner's decision. */
export const sendBlocked = async (
  request: PageRequest,
  pending: PendingVerification,
  refused?: RefusedAppeal,
) => {
  const { context, server, db } = request;
  const appeal = await findLastAppeal(db, server, pending.platformId);
  const standing = appealStanding(appeal, pending.outcomeAt);
  const page = { request, texts: textsOf(context), pending, refused };
  if (standing === 'appealOpen') return sendAppealOpen(page);
  if (standing === 'appealAccepted') return sendAppealAccepted(page);
  return standing === 'appealRejected' ? sendAppealRejected(page) : sendBlockReason(page);
};

type BlockedPage = {
  request: PageRequest;
  texts: VerificationTexts;
  pending: PendingVerification;
  refused: RefusedAppeal | undefined;
};

const sendBlockReason = ({ request, texts, pending, refused }: BlockedPage) => {
  const { id } = request.server;
  const { title, message } = texts.blocked[pending.blockReason ?? 'FIREWALL'];
  return sendServerPage(
    request,
    { title, status: refused ? 400 : 403, tone: 'bad', again: checkPath(id) },
    <>
      <p>{message}</p>
      <h2>{texts.appeal.heading}</h2>
      <AppealForm serverId={id} texts={texts} refused={refused} />
      <TryAgain serverId={id} texts={texts} />
    </>,
  );
};

const sendAppealOpen = ({ request, texts }: BlockedPage) => {
  const { title, sent, text } = texts.appeal.open;
  const again = checkPath(request.server.id);
  return sendServerPage(
    request,
    { title, status: 403, again },
    <>
      <p role="status">
        <strong>{sent}</strong> {text}
      </p>
      <p>
        <a class="button plain" href={again}>
          {texts.check.lookAgain}
        </a>
      </p>
    </>,
  );
};

const sendAppealAccepted = ({ request, texts }: BlockedPage) => {
  const { title, text, verify } = texts.appeal.accepted;
  const { id } = request.server;
  return sendServerPage(
    request,
    { title, tone: 'good', again: checkPath(id) },
    <>
      <p role="status">{text}</p>
      <p>
        <a class="button" href={visitPath(id)}>
          {verify}
        </a>
      </p>
    </>,
  );
};

const sendAppealRejected = ({ request, texts, refused }: BlockedPage) => {
  const { title, text, again } = texts.appeal.rejected;
  const { id } = request.server;
  return sendServerPage(
    request,
    { title, status: refused ? 400 : 403, tone: 'bad', again: checkPath(id) },
    <>
      <p role="status">{text}</p>
      <details open={refused !== undefined}>
        <summary>{again}</summary>
        <AppealForm serverId={id} texts={texts} refused={refused} />
      </details>
      <TryAgain serverId={id} texts={texts} />
    </>,
  );
};

const TryAgain = ({ serverId, texts }: { serverId: string; texts: VerificationTexts }) => (
  <p>
    <a class="button plain" href={visitPath(serverId)}>
      {texts.check.tryAgain}
    </a>
  </p>
);

type AppealFormProps = {
  serverId: string;
  texts: VerificationTexts;
  refused: RefusedAppeal | undefined;
};

const AppealForm = ({ serverId, texts: { appeal }, refused }: AppealFormProps) => (
  <form method="post" action={appealPath(serverId)}>
    <p>
      <label for="message">{appeal.label}</label>
    </p>
    <textarea
      id="message"
      name="message"
      dir="auto"
      required
      maxlength={longestAppealLength}
      aria-invalid={refused ? 'true' : undefined}
      aria-describedby={refused ? 'message-hint message-trouble' : 'message-hint'}
    >
      {refused?.message}
    </textarea>
    {refused && (
      <p id="message-trouble" role="alert">
        {appeal.invalid(longestAppealLength)}
      </p>
    )}
    <p class="quiet" id="message-hint">
      {appeal.hint(longestAppealLength)}
    </p>
    <button type="submit">{appeal.submit}</button>
  </form>
);
