/** @jsxImportSource hono/jsx */
import { Name } from '../../../http/pages/page.tsx';
import { checkPath, visitPath } from '../pages/page-context.ts';
import type { VerificationServer } from '../queries/servers.ts';
import type { VerificationTexts } from '../texts/en.ts';
import type { Standing } from './standing.ts';

type WithTexts<Props> = Props & { texts: VerificationTexts };
type VisitPageProps = WithTexts<{
  server: VerificationServer;
  standing: Standing | undefined;
  readsGuilds: boolean;
}>;

/**
 * Fits a phone's screen: what is asked and what is optional is said, the rest can be unfolded. The button stays
 * in sight where a note or the owner's welcome makes the page longer.
 */
export const VisitPage = ({ server, standing, readsGuilds, texts }: VisitPageProps) => {
  const { visit } = texts;
  const name = <Name>{server.name}</Name>;
  return (
    <>
      {standing && <StandingNote standing={standing} serverId={server.id} texts={texts} />}
      {server.welcome && (
        <p class="welcome" dir="auto">
          <Name>{server.welcome}</Name>
        </p>
      )}
      <p>
        {visit.why(<strong>{name}</strong>)} {server.givesRole ? visit.stepsWithRole : visit.steps}
      </p>
      {server.areChecksRaised && (
        <StricterNow minAccountAgeDays={server.minAccountAgeDays} texts={texts} />
      )}
      <form class="visit" method="post" action={visitPath(server.id)}>
        <h2>{visit.asked}</h2>
        <p>
          {visit.askedOfPlatform} {readsGuilds && visit.askedGuilds}
        </p>
        <RecoveryChoice texts={texts} />
        <button type="submit">{visit.submit}</button>
      </form>
      <Stored texts={texts} />
    </>
  );
};

type StandingNoteProps = WithTexts<{ standing: Standing; serverId: string }>;

/** Those who were blocked or are held find the reason, and what they can do, on the next page. */
const StandingNote = ({ standing, serverId, texts }: StandingNoteProps) => {
  const { title, text } = texts.standing[standing];
  const isGood = standing === 'verified' || standing === 'appealAccepted';
  return (
    <p class={isGood ? 'note good' : 'note'} role="status">
      <strong>{title}</strong> {text}{' '}
      {!isGood && <a href={checkPath(serverId)}>{texts.standing.more}</a>}
    </p>
  );
};

/** Said before anybody signs in, so that nobody takes the stricter checks for a mistake. */
const StricterNow = ({ minAccountAgeDays, texts }: WithTexts<{ minAccountAgeDays: number }>) => {
  const { title, because, youngAccounts, later } = texts.stricter;
  return (
    <p class="note" role="note">
      <strong>{title}</strong> {because}{' '}
      {minAccountAgeDays > 0 && `${youngAccounts(minAccountAgeDays)} `}
      {later}
    </p>
  );
};

const RecoveryChoice = ({ texts: { visit } }: { texts: VerificationTexts }) => (
  <label class="choice">
    <input type="checkbox" name="recover" value="yes" />
    <span>
      <span class="tag">{visit.optional}</span>
      <strong>{visit.recovery}</strong>
      {visit.recoveryMeans}
    </span>
  </label>
);

const Stored = ({ texts: { visit } }: { texts: VerificationTexts }) => (
  <details class="quiet">
    <summary>{visit.stored}</summary>
    <p>{visit.storedOfYou}</p>
    <p>{visit.storedForRecovery}</p>
    <p>
      <a href="https://db-ip.com" rel="noopener noreferrer">
        {visit.source}
      </a>
    </p>
  </details>
);
