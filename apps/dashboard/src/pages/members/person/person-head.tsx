import { Badge, Box, Group } from '@mantine/core';
import { Moment, Name, Picture } from '../../../components/display.tsx';
import { PageHead } from '../../../components/page.tsx';
import { pullableLabel } from '../../../labels/pulls.ts';
import type { Member } from '../../../queries/records.ts';

/** Who they are, and how they stand, at one glance. */
export const PersonHead = ({ member }: { member: Member }) => (
  <Group gap="md" wrap="nowrap" align="flex-start">
    <Picture src={member.avatar} size={56} />
    <Box flex={1} miw={0} mb="lg">
      <PageHead title={member.displayName} description={<Name>{member.username}</Name>} />
      <Standing member={member} />
    </Box>
  </Group>
);

const Standing = ({ member }: { member: Member }) => (
  <Group gap="xs" mt="-sm">
    <Badge color="green">
      Verified <Moment at={member.verifiedAt} />
    </Badge>
    {member.leftAt !== null && (
      <Badge color="orange">
        Left <Moment at={member.leftAt} />
      </Badge>
    )}
    <Badge color={member.pullable ? 'green' : 'gray'}>
      {member.pullable
        ? 'Can be brought back'
        : pullableLabel(member).replace('No:', 'Cannot be brought back:')}
    </Badge>
  </Group>
);
