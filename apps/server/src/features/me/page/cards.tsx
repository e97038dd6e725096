/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { Name } from '../../../http/pages/page.tsx';
import type {
  PersonalDataInBackups,
  PersonalDataKind,
} from '../../backups/erasure/personal-data.ts';
import { readableMoment } from '../rules.ts';
import type { PersonalDataOnServer } from './personal-data.ts';

/** What one server stores about the person, and what they consented to there. */
export const ServerCard = ({ server }: { server: PersonalDataOnServer }) => (
  <section class="card">
    <h2>
      <Name>{server.name}</Name>
    </h2>
    <dl class="held">
      {server.membership && <MembershipRows membership={server.membership} />}
      <Row name="Device and address">{describeHashes(server.traces)}</Row>
      {server.visits.map(({ outcome, expiresAt }) => (
        <Row name="Last verification attempt">
          {outcome ?? 'not finished'}, forgotten {readableMoment(expiresAt)}
        </Row>
      ))}
      {server.joins.map(({ joinedAt, status }) => (
        <Row name={`Joined ${readableMoment(joinedAt)}`}>{describeJoin(status)}</Row>
      ))}
      {server.incidents.map(({ noticedAt, stoppedAt }) => (
        <Row name={`Incident of ${readableMoment(noticedAt)}`}>
          what you did counts as an attack{stoppedAt && ', and roles may have been taken from you'}
        </Row>
      ))}
      {server.acts.length > 0 && (
        <Row name="Done in the server">{server.acts.length} entries of its audit log</Row>
      )}
      {server.appeals.map(({ createdAt, status, message }) => (
        <Row name={`Appeal of ${readableMoment(createdAt)}`}>
          {status.toLowerCase()}: {message}
        </Row>
      ))}
    </dl>
    {server.recalls.map((recall) => (
      <RecallNote recall={recall} />
    ))}
    {server.membership?.consentedAt && <WithdrawForm server={server} />}
  </section>
);

const describeJoin = (status: string): string =>
  ['held', 'removing'].includes(status)
    ? 'during a raid: the owner has to decide about you'
    : 'kept for a time to notice raids';

type Recall = PersonalDataOnServer['recalls'][number];

const RecallNote = ({ recall: { to, url, expiresAt } }: { recall: Recall }) => (
  <p>
    The owner invites you back to <Name>{to}</Name>: your permission to be brought back is no longer
    valid, so you join yourself.{' '}
    <a class="button" href={url} rel="noreferrer">
      Open the invite
    </a>{' '}
    <span class="quiet">
      Only those it was made for can use it, until {readableMoment(expiresAt)}.
    </span>
  </p>
);

const Row = ({ name, children }: { name: string; children: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

type Membership = NonNullable<PersonalDataOnServer['membership']>;

const MembershipRows = ({ membership }: { membership: Membership }) => {
  const { country, region, asn, isVpn, isAlt, consentedAt, accountCreatedAt } = membership;
  const place = [country, region].filter(Boolean).join(', ');
  return (
    <>
      <Row name="Verified">{readableMoment(membership.verifiedAt)}</Row>
      {membership.leftAt && <Row name="Seen to leave">{readableMoment(membership.leftAt)}</Row>}
      <Row name="Under the name">
        {membership.displayName && (
          <>
            <Name>{membership.displayName}</Name> /{' '}
          </>
        )}
        <Name>{membership.username}</Name>
      </Row>
      <Row name="May the owner bring you back?">
        {consentedAt ? `yes, agreed ${readableMoment(consentedAt)}` : 'no'}
      </Row>
      <Row name="Roles and nickname for that">
        {membership.roleIds ? 'kept as last seen' : 'none kept but in backups'}
      </Row>
      <Row name="Token for that">{membership.isTokenKept ? 'kept, sealed' : 'none kept'}</Row>
      <Row name="Country and region">{place || 'not kept'}</Row>
      <Row name="Network">{asn === null ? 'not kept' : `AS${asn}`}</Row>
      <Row name="Taken for a VPN">{yesOrNo(isVpn)}</Row>
      <Row name="Taken for a second account">{yesOrNo(isAlt)}</Row>
      <Row name="Hash of your device">{membership.fingerprint ? 'kept' : 'not kept'}</Row>
      {accountCreatedAt && (
        <Row name="Account made at the platform">{readableMoment(accountCreatedAt)}</Row>
      )}
    </>
  );
};

const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no');

const describeHashes = (hashes: PersonalDataOnServer['traces']): string => {
  const last = hashes.at(-1);
  if (!last) return 'no hashes kept';
  const kinds = [...new Set(hashes.map(({ kind }) => kind))].sort().join(' and ');
  return `hashes of your ${kinds} kept until ${readableMoment(last.expiresAt)}`;
};

const WithdrawForm = ({ server }: { server: PersonalDataOnServer }) => (
  <form class="actions" method="post" action="/me/withdraw">
    <input type="hidden" name="serverId" value={server.id} />
    <button class="plain" type="submit" aria-label={`Do not bring me back to ${server.name}`}>
      Do not bring me back
    </button>
    <span class="quiet">You stay verified.</span>
  </form>
);

const kindLabels: Record<PersonalDataKind, string> = {
  ROLES_AND_NICKNAME: 'your roles and nickname',
  MESSAGES: 'messages that you wrote or that mention you',
  CHANNELS: 'permissions or mentions in channels',
  TEXTS: 'mentions in descriptions',
};

export const BackupsCard = ({ backups }: { backups: PersonalDataInBackups[] }) => (
  <section class="card">
    <h2>In backups</h2>
    <p>Owners back up their servers. These backups hold something about you:</p>
    <dl class="held">
      {backups.map(({ name, kinds, oldestAt, newestAt }) => (
        <div>
          <dt>
            <Name>{name}</Name>
          </dt>
          <dd>
            <ul>
              {kinds.map(({ kind, backups: count }) => (
                <li>
                  {kindLabels[kind]}, in {count === 1 ? 'one backup' : `${count} backups`}
                </li>
              ))}
            </ul>
            <span class="quiet">
              {oldestAt.getTime() === newestAt.getTime()
                ? `saved ${readableMoment(newestAt)}`
                : `saved between ${readableMoment(oldestAt)} and ${readableMoment(newestAt)}`}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  </section>
);
