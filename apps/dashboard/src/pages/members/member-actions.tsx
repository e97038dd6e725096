import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../components/confirm.tsx';
import { isolatedName } from '../../components/display.tsx';
import { TextLink } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { accountQuery } from '../../queries/account.ts';
import type { Member } from '../../queries/records.ts';
import {
  changedByRule,
  firewallRules,
  type RuleList,
  whitelistRules,
} from '../../queries/rules.ts';
import { useServer } from '../../queries/servers.ts';
import { bulkActions } from './run-bulk.ts';

/** What an owner decides about a person, or about the device they used. */
export const MemberActions = ({ member }: { member: Member }) => {
  const form = useForm({ initialValues: { note: '' } });
  const note = form.values.note.trim() || null;
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        Nothing here removes anybody from the server on the platform.
      </Text>
      <TextInput
        label="Reason or note (optional)"
        description="Stored with your choice below."
        maxLength={500}
        {...form.getInputProps('note')}
      />
      <BlockActions member={member} note={note} />
      <AllowActions member={member} note={note} />
    </Stack>
  );
};

type ActionsProps = { member: Member; note: string | null };
type RuleButtonsProps = ActionsProps & {
  list: RuleList;
  message: string;
  labels: { person: string; device: string };
  isDisabled?: boolean;
};

/** Adds a rule of this server for the person or for their device. */
const RuleButtons = (props: RuleButtonsProps) => {
  const { member, note, list, message, labels, isDisabled = false } = props;
  const { platformId, fingerprint } = member;
  const { id } = useServer();
  const add = useAction(
    (rule: { type: 'USER_ID' | 'FINGERPRINT'; value: string }) => list.add(id, { ...rule, note }),
    { message, invalidates: changedByRule(id, list) },
  );
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={isDisabled}
        onClick={() => add.mutate({ type: 'USER_ID', value: platformId })}
      >
        {labels.person}
      </Button>
      {fingerprint !== null && (
        <Button
          size="xs"
          variant="default"
          disabled={isDisabled}
          onClick={() => add.mutate({ type: 'FINGERPRINT', value: fingerprint })}
        >
          {labels.device}
        </Button>
      )}
    </>
  );
};

const BlockActions = ({ member, note }: ActionsProps) => {
  const server = useServer();
  const { data: account } = useQuery(accountQuery);
  const hasFirewall = account?.limits.hasFirewall === true;
  return (
    <>
      <Stack gap={4}>
        <Group gap="xs">
          <RuleButtons
            member={member}
            note={note}
            list={firewallRules}
            message="The firewall has a new rule"
            labels={{ person: 'Block this person here', device: 'Block this device here' }}
            isDisabled={!hasFirewall}
          />
        </Group>
        {hasFirewall && server.firewallEnabled && (
          <Text size="sm" c="dimmed">
            They cannot verify here again.
          </Text>
        )}
        <FirewallNote
          hasFirewall={hasFirewall}
          isOn={server.firewallEnabled}
          serverId={server.id}
        />
      </Stack>
      <Stack gap={4}>
        <Group>
          <BlacklistButton member={member} note={note} />
        </Group>
        <Text size="sm" c="dimmed">
          They cannot verify on any of your servers, and are not brought back.
        </Text>
      </Stack>
    </>
  );
};

/** Holds on every server of the account, so it asks first. */
const BlacklistButton = ({ member, note }: ActionsProps) => {
  const { id } = useServer();
  return (
    <ConfirmButton
      button={{
        size: 'xs',
        color: 'red',
        variant: 'outline',
        children: bulkActions.blacklist.label,
      }}
      title={`Blacklist ${isolatedName(member.displayName)}?`}
      label="Blacklist them"
      color="red"
      action={() => bulkActions.blacklist.run(id, member, note)}
      message="They are on your blacklist"
      invalidates={bulkActions.blacklist.changes(id)}
    >
      {bulkActions.blacklist.consequence}
    </ConfirmButton>
  );
};

type FirewallNoteProps = { hasFirewall: boolean; isOn: boolean; serverId: string };

/** Says why a firewall rule would have no effect. */
const FirewallNote = ({ hasFirewall, isOn, serverId }: FirewallNoteProps) => {
  if (hasFirewall && isOn) return null;
  return (
    <Text size="sm">
      {hasFirewall ? (
        <>
          The firewall is off, so a rule has no effect yet.{' '}
          <TextLink to={`/servers/${serverId}/settings#checks`}>
            Turn it on in the settings
          </TextLink>
        </>
      ) : (
        <>
          Your plan does not include the firewall. <TextLink to="/billing">Compare plans</TextLink>
        </>
      )}
    </Text>
  );
};

const AllowActions = ({ member, note }: ActionsProps) => (
  <Stack gap={4}>
    <Group gap="xs">
      <RuleButtons
        member={member}
        note={note}
        list={whitelistRules}
        message="The whitelist has a new rule"
        labels={{ person: 'Always allow this person', device: 'Always allow this device' }}
      />
    </Group>
    <Text size="sm" c="dimmed">
      The whitelist overrules every check of this server, but not the blacklist.
    </Text>
  </Stack>
);
