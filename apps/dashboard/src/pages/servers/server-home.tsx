import { Button, Grid, Group, Paper, SimpleGrid, Stack } from '@mantine/core';
import { Link } from 'react-router';
import { Figure } from '../../parts/figure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Picture } from '../../parts/picture.tsx';
import { type Server, useServer } from '../../parts/use-server.ts';
import { countWords } from '../../parts/words.ts';
import { NewcomersCard } from './newcomers-card.tsx';
import { NextStep } from './next-step.tsx';
import { ProtectionCard } from './protection-card.tsx';
import { LastBackupCard, LastPullCard } from './recovery-cards.tsx';
import { VerifyCard } from './verify-card.tsx';

export const ServerHome = () => {
  const server = useServer();
  return (
    <>
      <Group gap="md" wrap="nowrap" align="flex-start">
        <Picture src={server.icon} radius="md" size={48} />
        <div style={{ flex: 1, minWidth: 0 }}>
          <PageHead
            title={server.name}
            description="At a glance: who is verified, and whether the server could be brought back."
            actions={
              <Button component={Link} to={`/servers/${server.id}/backups`}>
                Back up
              </Button>
            }
          />
        </div>
      </Group>
      <Stack gap="md">
        <NextStep server={server} />
        <Counts server={server} />
        <Grid gap="md">
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Stack gap="md">
              <VerifyCard server={server} />
              <NewcomersCard serverId={server.id} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Stack gap="md">
              <ProtectionCard server={server} />
              <LastBackupCard server={server} />
              <LastPullCard server={server} />
            </Stack>
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
};

const Counts = ({ server: { memberCount, _count } }: { server: Server }) => (
  <Paper withBorder p="lg">
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <Figure label="On the platform" value={countWords(memberCount)} />
      <Figure label="Verified" value={countWords(_count.members)} />
      <Figure label="Can be called back" value={countWords(_count.pullableMembers)} />
      <Figure label="Backups" value={countWords(_count.backups)} />
    </SimpleGrid>
  </Paper>
);
