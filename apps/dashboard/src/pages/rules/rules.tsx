import { Button, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Note, TextLink } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { accountQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Server } from '../../queries/records.ts';
import { firewallRules, whitelistRules } from '../../queries/rules.ts';
import { useServer } from '../../queries/servers.ts';
import { RulesPage } from './rules-page.tsx';

export const Firewall = () => {
  const server = useServer();
  const { data: account } = useQuery(accountQuery);
  const isInPlan = account?.limits.hasFirewall === true;
  return (
    <RulesPage
      list={firewallRules}
      title="Firewall"
      description="Newcomers who match one of these rules are blocked. They can appeal."
      emptyMessage="No rule blocks anybody. Add one for a person, a network or a whole country."
      actions={isInPlan && server.firewallEnabled && <FirewallSwitch server={server} />}
      notice={<FirewallNotice server={server} plan={isInPlan ? null : (account?.plan ?? '')} />}
      mayAdd={isInPlan}
    />
  );
};

const useFirewall = ({ id, firewallEnabled }: Server) => {
  const change = useAction(
    (isEnabled: boolean) =>
      api.updateServer({ params: { id }, body: { firewallEnabled: isEnabled } }),
    {
      message: ({ firewallEnabled: isSwitchedOn }) =>
        isSwitchedOn ? 'The firewall is on.' : 'The firewall is off: its rules have no effect.',
      invalidates: [queryKeys.server(id)],
    },
  );
  return { isOn: change.isPending ? change.variables : firewallEnabled, change };
};

const FirewallSwitch = ({ server }: { server: Server }) => {
  const { isOn, change } = useFirewall(server);
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
  /** The plan if it has no firewall, else null. */
  plan: string | null;
};

const FirewallNotice = ({ server, plan }: FirewallNoticeProps) => {
  if (plan !== null) {
    return (
      <Note tone="warning" title={`The ${plan} plan has no firewall`}>
        Existing rules can be seen and deleted, but they block nobody and none can be added.{' '}
        <TextLink to="/billing" c="inherit">
          Compare the plans
        </TextLink>
      </Note>
    );
  }
  return server.firewallEnabled ? null : <FirewallOff server={server} />;
};

const FirewallOff = ({ server }: { server: Server }) => {
  const { change } = useFirewall(server);
  return (
    <Note tone="warning" title="The firewall is off">
      <Stack gap="sm" align="flex-start">
        Its rules block nobody until you turn it on.
        <Button size="xs" loading={change.isPending} onClick={() => change.mutate(true)}>
          Turn it on
        </Button>
      </Stack>
    </Note>
  );
};

export const Whitelist = () => (
  <RulesPage
    list={whitelistRules}
    title="Whitelist"
    description="Newcomers who match one of these rules are allowed without the checks for firewall, VPN, second account and account age."
    emptyMessage="Everybody goes through all checks. Add a rule for people you trust; accepting an appeal adds one too."
    mayAdd
  />
);
