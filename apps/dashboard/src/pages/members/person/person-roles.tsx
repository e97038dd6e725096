import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Moment, Name } from '../../../components/display.tsx';
import { Section } from '../../../components/page.tsx';
import { assignmentLabels } from '../../../labels/people.ts';
import type { MemberHistory } from '../../../queries/records.ts';
import { guildQuery, useServer } from '../../../queries/servers.ts';

/** What they have in the guild, and whether the verified role was given. */
export const PersonRoles = ({ history }: { history: MemberHistory }) => {
  const { verifiedRole, inGuild } = history;
  return (
    <Section title="Roles" padding="md">
      <Stack gap="sm">
        <Text size="sm">
          {verifiedRole
            ? assignmentLabels[verifiedRole.status]
            : 'No verified role is set for this server.'}
          {verifiedRole?.error && ` ${verifiedRole.error}`}
        </Text>
        {inGuild ? (
          <HeldRoles inGuild={inGuild} />
        ) : (
          <Text size="sm" c="dimmed">
            Their other roles are not known: they are kept only for members who agreed to be brought
            back.
          </Text>
        )}
      </Stack>
    </Section>
  );
};

const HeldRoles = ({ inGuild }: { inGuild: NonNullable<MemberHistory['inGuild']> }) => {
  const { id } = useServer();
  const { data: guild } = useQuery(guildQuery(id));
  const { roleIds, nick, seenAt } = inGuild;
  const nameOf = (roleId: string) => guild?.roles.find((role) => role.id === roleId)?.name;
  return (
    <>
      <Group gap={6}>
        {roleIds.map((roleId) => (
          <Badge key={roleId} color="gray">
            <Name>{nameOf(roleId) ?? roleId}</Name>
          </Badge>
        ))}
        {roleIds.length === 0 && <Text size="sm">No roles.</Text>}
      </Group>
      <Text size="sm" c="dimmed">
        {nick !== null && (
          <>
            Nickname <Name>{nick}</Name>.{' '}
          </>
        )}
        As seen <Moment at={seenAt} />.
      </Text>
    </>
  );
};
