import { Anchor, Group, Paper, Stack, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { BackLink, PageHead } from '../../components/page.tsx';
import { PlanLimitNote } from '../../components/plan-usage.tsx';
import { accountQuery } from '../../queries/account.ts';
import { BotStep } from './bot-step.tsx';
import { ServerStep } from './server-step.tsx';

export const AddServer = () => {
  const navigate = useNavigate();
  const { data: account } = useQuery(accountQuery);
  const [botId, setBotId] = useState<string>();
  const most = account?.limits.maxServers ?? 0;
  const isFull = account !== undefined && account._count.servers >= most;
  return (
    <Stack maw={760} gap="md">
      <div>
        <BackLink to="/servers">Servers</BackLink>
        <PageHead
          title="Add a server"
          description={
            <>
              Choose a bot, invite it to your server, then choose the server here.{' '}
              <Anchor href="/guides/first-server" inherit underline="always">
                How it works
              </Anchor>
            </>
          }
        />
      </div>
      {isFull ? (
        <PlanLimitNote what="server" most={most} />
      ) : (
        <>
          <Step number={1} title="The bot">
            <BotStep botId={botId} onChoose={setBotId} />
          </Step>
          <Step number={2} title="The server" isWaiting={!botId}>
            <ServerStep botId={botId} onAdded={({ id }) => navigate(`/servers/${id}`)} />
          </Step>
        </>
      )}
    </Stack>
  );
};

type StepProps = { number: number; title: string; isWaiting?: boolean; children: ReactNode };

const Step = (props: StepProps) => (
  <Paper withBorder p="lg" component="section" aria-label={props.title}>
    <Group gap="sm" mb="md">
      <ThemeIcon
        variant="light"
        color={props.isWaiting ? 'gray' : undefined}
        radius="xl"
        size={32}
        aria-hidden
      >
        {props.number}
      </ThemeIcon>
      <Title order={2} size="h4" c={props.isWaiting ? 'dimmed' : undefined}>
        {props.title}
      </Title>
    </Group>
    {props.children}
  </Paper>
);
