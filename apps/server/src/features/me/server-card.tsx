/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { Name } from '../../http/pages/name.tsx';
import type { HeldByServer } from './held.ts';
import { readableMoment } from './rules.ts';

/** What one server keeps about the person who looks, and what they agreed to there. */
export const ServerCard = ({ server }: { server: HeldByServer }) => (
  <section class="card">
    <h2>
      <Name>{server.name}</Name>
    </h2>
    <dl class="held">
      {server.membership && <MembershipRows membership={server.membership} />}
      <Row name="Device and address">{describeTraces(server.traces)}</Row>
      {server.visits.map(({ outcome, expiresAt }) => (
        <Row name="Visit to its door">
          {outcome ?? 'not finished'}, forgotten {readableMoment(expiresAt)}
        </Row>
      ))}
      {server.appeals.map(({ createdAt, status, message }) => (
        <Row name={`Appeal of ${readableMoment(createdAt)}`}>
          {status.toLowerCase()}: {message}
        </Row>
      ))}
    </dl>
    {server.membership?.consentedAt && <WithdrawForm server={server} />}
  </section>
);

const Row = ({ name, children }: { name: string; children: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

type Membership = NonNullable<HeldByServer['membership']>;

const MembershipRows = ({ membership }: { membership: Membership }) => {
  const { country, region, asn, isVpn, isAlt, consentedAt, accountCreatedAt } = membership;
  const place = [country, region].filter(Boolean).join(', ');
  return (
    <>
      <Row name="Verified">{readableMoment(membership.verifiedAt)}</Row>
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

const describeTraces = (traces: HeldByServer['traces']): string => {
  const last = traces.at(-1);
  if (!last) return 'no hashes kept';
  const kinds = [...new Set(traces.map(({ kind }) => kind))].sort().join(' and ');
  return `hashes of your ${kinds} kept until ${readableMoment(last.expiresAt)}`;
};

const WithdrawForm = ({ server }: { server: HeldByServer }) => (
  <form class="actions" method="post" action="/me/withdraw">
    <input type="hidden" name="serverId" value={server.id} />
    <button class="plain" type="submit" aria-label={`Do not bring me back to ${server.name}`}>
      Do not bring me back
    </button>
    <span class="quiet">You stay verified.</span>
  </form>
);
