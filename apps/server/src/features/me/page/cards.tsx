/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { Name } from '../../../http/pages/page.tsx';
import { attemptKeptUntil } from '../../analytics/rules.ts';
import type { PersonalDataInBackups } from '../../backups/erasure/personal-data.ts';
import type { Words } from '../texts/me-texts.ts';
import type { PersonalDataOnServer } from './personal-data.ts';

type OfServer = { server: PersonalDataOnServer; words: Words };

/** What one server stores about the person, and what they consented to there. */
export const ServerCard = ({ server, words }: OfServer) => (
  <section class="card">
    <h2>
      <Name>{server.name}</Name>
    </h2>
    <dl class="held">
      {server.membership && <MembershipRows membership={server.membership} words={words} />}
      <Row name={words.texts.hashes.label}>{describeHashes(server.traces, words)}</Row>
      <EventRows server={server} words={words} />
    </dl>
    {server.recalls.map((recall) => (
      <RecallNote recall={recall} words={words} />
    ))}
    {server.membership?.consentedAt && <WithdrawForm server={server} words={words} />}
  </section>
);

const EventRows = ({ server, words: { texts, moment } }: OfServer) => (
  <>
    {server.visits.map(({ outcome, expiresAt }) => (
      <Row name={texts.attempt.label}>
        {texts.attempt.forgotten(texts.attempt[outcome ?? 'unfinished'], moment(expiresAt))}
      </Row>
    ))}
    {server.attempts.map((attempt) => (
      <Row name={`${texts.attempt.label}, ${moment(attempt.startedAt)}`}>
        {texts.attempt.forgotten(
          [texts.attempt[outcomeOf(attempt)], ...placeOf(attempt)].join(', '),
          moment(attemptKeptUntil(attempt.startedAt)),
        )}
      </Row>
    ))}
    {server.joins.map(({ joinedAt, status }) => (
      <Row name={texts.join.label(moment(joinedAt))}>
        {['held', 'removing'].includes(status) ? texts.join.held : texts.join.noticed}
      </Row>
    ))}
    {server.incidents.map(({ noticedAt, stoppedAt }) => (
      <Row name={texts.incident.label(moment(noticedAt))}>
        {stoppedAt ? texts.incident.stopped : texts.incident.attack}
      </Row>
    ))}
    {server.acts.length + server.changes.length > 0 && (
      <Row name={texts.acts.label}>
        {texts.acts.entries(server.acts.length + server.changes.length)}
      </Row>
    )}
    {server.appeals.map(({ createdAt, status, message }) => (
      <Row name={texts.appeal.label(moment(createdAt))}>
        {texts.appeal[status]}: <Name>{message}</Name>
      </Row>
    ))}
  </>
);

type Attempt = PersonalDataOnServer['attempts'][number];

const outcomeOf = ({ stage, blockReason }: Attempt) => {
  if (stage === 'verified') return 'verified';
  return blockReason ? 'blocked' : 'unfinished';
};

const placeOf = ({ country, region, asn }: Attempt): string[] =>
  [country, region, asn === null ? null : `AS${asn}`].filter((part) => part !== null);

type RecallNoteProps = { recall: PersonalDataOnServer['recalls'][number]; words: Words };

const RecallNote = ({
  recall: { to, url, expiresAt },
  words: { texts, moment },
}: RecallNoteProps) => (
  <p>
    {texts.recall.invited(<Name>{to}</Name>)}{' '}
    <a class="button" href={url} rel="noreferrer">
      {texts.recall.open}
    </a>{' '}
    <span class="quiet">{texts.recall.until(moment(expiresAt))}</span>
  </p>
);

const Row = ({ name, children }: { name: string; children: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

type MembershipRowsProps = {
  membership: NonNullable<PersonalDataOnServer['membership']>;
  words: Words;
};

const MembershipRows = ({ membership, words: { texts, moment } }: MembershipRowsProps) => {
  const { country, region, asn, isVpn, isAlt, consentedAt, accountCreatedAt } = membership;
  const { membership: labels, yes, no, kept, notKept } = texts;
  const place = [country, region].filter(Boolean).join(', ');
  return (
    <>
      <Row name={labels.verified}>{moment(membership.verifiedAt)}</Row>
      {membership.leftAt && <Row name={labels.left}>{moment(membership.leftAt)}</Row>}
      <Row name={labels.name}>
        {membership.displayName && (
          <>
            <Name>{membership.displayName}</Name> /{' '}
          </>
        )}
        <Name>{membership.username}</Name>
      </Row>
      <Row name={labels.recovery}>{consentedAt ? labels.agreed(moment(consentedAt)) : no}</Row>
      <Row name={labels.roles}>{membership.roleIds ? labels.rolesKept : labels.rolesInBackups}</Row>
      <Row name={labels.token}>{membership.isTokenKept ? labels.tokenKept : labels.tokenNone}</Row>
      <Row name={labels.place}>{place || notKept}</Row>
      <Row name={labels.network}>{asn === null ? notKept : `AS${asn}`}</Row>
      <Row name={labels.vpn}>{isVpn ? yes : no}</Row>
      <Row name={labels.alt}>{isAlt ? yes : no}</Row>
      <Row name={labels.device}>{membership.fingerprint ? kept : notKept}</Row>
      {accountCreatedAt && <Row name={labels.created}>{moment(accountCreatedAt)}</Row>}
    </>
  );
};

const describeHashes = (
  hashes: PersonalDataOnServer['traces'],
  { texts, moment }: Words,
): string => {
  const last = hashes.at(-1);
  if (!last) return texts.hashes.none;
  const kinds = new Set(hashes.map(({ kind }) => kind));
  return texts.hashes[kinds.size > 1 ? 'both' : last.kind](moment(last.expiresAt));
};

const WithdrawForm = ({ server, words: { texts } }: OfServer) => (
  <form class="actions" method="post" action="/me/withdraw">
    <input type="hidden" name="serverId" value={server.id} />
    <button class="plain" type="submit" aria-label={texts.withdraw.label(server.name)}>
      {texts.withdraw.button}
    </button>
    <span class="quiet">{texts.withdraw.stays}</span>
  </form>
);

type BackupsCardProps = { backups: PersonalDataInBackups[]; words: Words };

export const BackupsCard = ({ backups, words: { texts, moment } }: BackupsCardProps) => (
  <section class="card">
    <h2>{texts.backups.heading}</h2>
    <p>{texts.backups.intro}</p>
    <dl class="held">
      {backups.map(({ name, kinds, oldestAt, newestAt }) => (
        <div>
          <dt>
            <Name>{name}</Name>
          </dt>
          <dd>
            <ul>
              {kinds.map(({ kind, backups: count }) => (
                <li>{texts.backups.within(texts.backups[kind], count)}</li>
              ))}
            </ul>
            <span class="quiet">
              {oldestAt.getTime() === newestAt.getTime()
                ? texts.backups.saved(moment(newestAt))
                : texts.backups.savedBetween(moment(oldestAt), moment(newestAt))}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  </section>
);
