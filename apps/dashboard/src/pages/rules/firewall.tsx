import { Alert, Anchor, Switch } from '@mantine/core';
import { IconShieldOff } from '@tabler/icons-react';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { useAccount } from '../../parts/use-account.ts';
import { useAct } from '../../parts/use-act.ts';
import { type Server, useServer } from '../../parts/use-server.ts';
import { firewallList } from './rule-lists.ts';
import { RulesPage } from './rules-page.tsx';

export const Firewall = () => {
  const server = useServer();
  const { data: account } = useAccount();
  const isInPlan = account?.limits.hasFirewall === true;
  return (
    <RulesPage
      list={firewallList}
      title="Firewall"
      description="Whoever fits one of these rules is turned away when they verify. They can appeal."
      emptyWords="Nobody is turned away by a rule. Add one above, for a person, a network or a whole country."
      actions={isInPlan && <FirewallSwitch server={server} />}
      notice={<FirewallNotice server={server} plan={isInPlan ? null : (account?.plan ?? '')} />}
      mayAdd={isInPlan}
    />
  );
};

const FirewallSwitch = ({ server: { id, firewallEnabled } }: { server: Server }) => {
  const change = useAct(
    (wanted: boolean) => api.updateServer({ params: { id }, body: { firewallEnabled: wanted } }),
    {
      done: ({ firewallEnabled: isSwitchedOn }) =>
        isSwitchedOn ? 'The firewall is on.' : 'The firewall is off: its rules do nothing now.',
      touches: [['server', id]],
    },
  );
  const isOn = change.isPending ? change.variables : firewallEnabled;
  return (
    <Switch
      label={isOn ? 'The firewall is on' : 'The firewall is off'}
      checked={isOn}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
};

type FirewallNoticeProps = {
  server: Server;
  /** The plan that has no firewall; null where it has. */
  plan: string | null;
};

const FirewallNotice = ({ server, plan }: FirewallNoticeProps) => {
  if (plan !== null) {
    return (
      <Alert
        color="yellow"
        icon={<IconShieldOff aria-hidden />}
        title={`The ${plan} plan has no firewall`}
      >
        Rules that are here can be looked at and deleted, but they turn nobody away and none can be
        added.{' '}
        <Anchor component={Link} to="/billing" inherit c="inherit" underline="always">
          Compare the plans
        </Anchor>
      </Alert>
    );
  }
  if (server.firewallEnabled) return null;
  return (
    <Alert color="yellow" icon={<IconShieldOff aria-hidden />} title="These rules do nothing now">
      The firewall is switched off for this server. Switch it on above, or in the{' '}
      <Anchor
        component={Link}
        to={`/servers/${server.id}/settings`}
        inherit
        c="inherit"
        underline="always"
      >
        settings
      </Anchor>
      .
    </Alert>
  );
};
