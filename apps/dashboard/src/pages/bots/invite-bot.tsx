import {
  Button,
  Collapse,
  Group,
  List,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyTextButton } from '../../components/copy-field.tsx';
import { Note } from '../../components/page.tsx';
import { permissionLabel } from '../../labels/permissions.ts';
import type { Invite } from '../../queries/records.ts';

const kindLabels: Record<Invite['kind'], string> = {
  FULL: 'Administrator',
  LIMITED: 'Limited',
};

/** The link that brings the bot into a server, with what it asks for and why. */
export const InviteBot = ({ invites, isMain }: { invites: Invite[]; isMain: boolean }) => {
  const [kind, setKind] = useState<string>('FULL');
  const [isOpen, { toggle }] = useDisclosure(false);
  const invite = invites.find((one) => one.kind === kind) ?? invites[0];
  if (!invite) return null;
  return (
    <Stack gap="sm">
      <SegmentedControl
        fullWidth
        aria-label="What the bot may do"
        value={kind}
        onChange={setKind}
        data={invites.map((one) => ({ value: one.kind, label: kindLabels[one.kind] }))}
      />
      <Explanation invite={invite} />
      <Group gap="xs">
        <Button
          component="a"
          href={invite.url}
          target="_blank"
          rel="noopener"
          variant={isMain ? 'filled' : 'default'}
          leftSection={<IconExternalLink size={16} aria-hidden />}
        >
          Invite the bot to a server
        </Button>
        <CopyTextButton value={invite.url} label="Copy the link" />
        {invite.permissions.length > 1 && (
          <Button variant="subtle" onClick={toggle} aria-expanded={isOpen}>
            {isOpen
              ? 'Hide the permissions'
              : `Why each of ${invite.permissions.length} permissions`}
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen && invite.permissions.length > 1}>
        <Permissions permissions={invite.permissions} />
      </Collapse>
      <Text size="sm" c="dimmed">
        The platform asks you which of your servers to add it to. Afterwards move the bot's role
        above the roles that it should manage.
      </Text>
    </Stack>
  );
};

const Explanation = ({ invite: { kind, permissions, loses } }: { invite: Invite }) =>
  kind === 'FULL' ? (
    <Text size="sm">Recommended. {permissions.map(({ reason }) => reason).join(' ')}</Text>
  ) : (
    <Note tone="warning" title="What does not work without Administrator">
      <List size="sm">
        {loses.map((loss) => (
          <List.Item key={loss}>{loss}</List.Item>
        ))}
      </List>
    </Note>
  );

const Permissions = ({ permissions }: Pick<Invite, 'permissions'>) => (
  <SimpleGrid
    component="dl"
    cols={{ base: 1, xs: 2 }}
    spacing="md"
    verticalSpacing="xs"
    m={0}
    aria-label="Permissions and why each is needed"
  >
    {permissions.map(({ permission, reason }) => (
      <div key={permission}>
        <Text component="dt" size="sm" fw={600}>
          {permissionLabel(permission)}
        </Text>
        <Text component="dd" size="sm" c="dimmed" m={0}>
          {reason}
        </Text>
      </div>
    ))}
  </SimpleGrid>
);
