import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useServer } from '../../parts/use-server.ts';
import { countWords } from '../../parts/words.ts';
import { PullList } from './pull-list.tsx';
import { isUnderWay, type PullRecord } from './pull-words.ts';
import { StartPull } from './start-pull.tsx';
import { usePulls } from './use-pulls.ts';

export const Pulls = () => {
  const { id } = useServer();
  const newest = usePulls(id, 1);
  return (
    <>
      <PageHead
        title="Pulls"
        description="Call the members who agreed to it into this server, or into another one of yours."
      />
      <Stack gap="lg">
        <Loaded query={newest} height={280}>
          {({ data }) => {
            const running = data.find(isUnderWay);
            return running ? <RunningPull pull={running} /> : <StartPull pulls={data} />;
          }}
        </Loaded>
        <PullList />
      </Stack>
    </>
  );
};

const RunningPull = ({ pull }: { pull: PullRecord }) => (
  <Alert color="blue" title="A pull is under way" icon={<IconUsersPlus aria-hidden />}>
    <Stack gap="xs">
      <Text size="sm" className="holdfast-number">
        {countWords(pull.processed)} of {countWords(pull.total)} members were called. The next pull
        of this server can be started when it has ended.
      </Text>
      <Progress value={pull.progress} animated aria-label="How far the pull is" />
      <Group>
        <Button component={Link} to={`/servers/${pull.serverId}/pulls/${pull.id}`} size="xs">
          Follow it
        </Button>
      </Group>
    </Stack>
  </Alert>
);
