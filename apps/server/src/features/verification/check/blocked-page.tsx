/** @jsxImportSource hono/jsx */
import { sendPage } from '../../../http/pages/page.tsx';
import { findLastAppeal } from '../appeals/queries.ts';
import { longestAppeal } from '../appeals/rules.ts';
import type { StoredPassage } from '../passages/queries.ts';
import { appealPath, visitPath } from '../paths.ts';
import type { Door } from '../queries.ts';
import { pictureOriginsOf, ServerHead } from '../server-head.tsx';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';
import { blockWords } from './block-words.ts';

type AppealTrouble = { message: string; sentence: string };

/** Why somebody was turned away, what they can do, and a way to tell the owner. */
export const sendBlocked = async (
  context: PageContext,
  door: Door,
  passage: StoredPassage,
  { db }: VerificationTools,
  trouble?: AppealTrouble,
) => {
  const { title, sentence } = blockWords[passage.blockReason ?? 'FIREWALL'];
  const appeal = await findLastAppeal(db, door, passage.platformId);
  return sendPage(
    context,
    {
      title,
      status: trouble ? 400 : 403,
      tone: 'bad',
      pictureOrigins: pictureOriginsOf(door),
    },
    <>
      <ServerHead server={door} title={title} />
      <p>{sentence}</p>
      {appeal?.status === 'OPEN' ? (
        <p role="status">
          <strong>The owner has your message.</strong> If they let you in, verify once more with the
          same link.
        </p>
      ) : (
        <AppealForm serverId={door.id} trouble={trouble} />
      )}
      <p>
        <a class="button plain" href={visitPath(door.id)}>
          Try again
        </a>
      </p>
    </>,
  );
};

const AppealForm = ({ serverId, trouble }: { serverId: string; trouble?: AppealTrouble }) => (
  <form method="post" action={appealPath(serverId)}>
    <h2>A mistake?</h2>
    <p>
      <label for="message">Tell the owner why they should let you in:</label>
    </p>
    <textarea
      id="message"
      name="message"
      required
      maxlength={longestAppeal}
      aria-invalid={trouble ? 'true' : undefined}
      aria-describedby={trouble ? 'message-hint message-trouble' : 'message-hint'}
    >
      {trouble?.message}
    </textarea>
    {trouble && (
      <p id="message-trouble" role="alert">
        {trouble.sentence}
      </p>
    )}
    <p class="quiet" id="message-hint">
      Up to {longestAppeal} characters. They see your name and id with it.
    </p>
    <button type="submit">Send to the owner</button>
  </form>
);
