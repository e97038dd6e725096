import { Group, Paper, Stack, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { PageHead } from '../../components/page.tsx';
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
      <PageHead
        title="Add a server"
        description="First its bot, then the server itself: nothing but the token and the secret has to be pasted."
      />
      {isFull ? (
        <PlanLimitNote what="server" most={most} />
      ) : (
        <>
          <Step number={1} title="The bot">
            <BotStep botId={botId} onChoose={setBotId} />
          </Step>
          <Step number={2} title="The server">
            <ServerStep botId={botId} onAdded={({ id }) => navigate(`/servers/${id}`)} />
          </Step>
        </>
      )}
    </Stack>
  );
};

const Step = (props: { number: number; title: string; children: ReactNode }) => (
  <Paper withBorder p="lg" component="section" aria-label={props.title}>
    <Group gap="sm" mb="md">
      <ThemeIcon variant="light" radius="xl" size={32} aria-hidden>
        {props.number}
      </ThemeIcon>
      <Title order={2} size="h4">
        {props.title}
      </Title>
    </Group>
    {props.children}
  </Paper>
);
