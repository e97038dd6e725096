import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { CopyField } from '../../parts/copy-field.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Picture } from '../../parts/picture.tsx';
import { useAccount } from '../../parts/use-account.ts';

export const Profile = () => {
  const { data: account } = useAccount();
  if (!account) return null;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="profile">
      <Stack gap="md">
        <Title order={2} size="h4" id="profile">
          Profile
        </Title>
        <Group wrap="nowrap">
          <Picture src={account.avatar} size={56} />
          <div>
            <Text fw={650}>
              <Name>{account.displayName}</Name>
            </Text>
            <Text size="sm" c="dimmed">
              <Name>{account.username}</Name>, here since <Moment at={account.createdAt} isExact />
            </Text>
          </div>
        </Group>
        <CopyField label="Your platform id" value={account.platformId} />
        <Text size="sm" c="dimmed">
          Name and picture are those you have on the platform. They are read anew whenever you sign
          in.
        </Text>
      </Stack>
    </Paper>
  );
};
