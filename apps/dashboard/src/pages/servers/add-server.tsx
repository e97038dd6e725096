import { Group, Paper, Stack, ThemeIcon, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { BotStep } from './bot-step.tsx';
import { PlanFull } from './plan-full.tsx';
import { ServerStep } from './server-step.tsx';

export const AddServer = () => {
  const navigate = useNavigate();
  const { data: account } = useAccount();
  const [botId, setBotId] = useState<string>();
  const most = account?.limits.maxServers ?? 0;
  const isFull = account !== undefined && account._count.servers >= most;
  return (
    <Stack maw={760} gap="md">
      <PageHead
        title="Add a server"
        description="First the bot that looks after it, then the server itself."
      />
      {isFull ? (
        <PlanFull what="server" most={most} />
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
