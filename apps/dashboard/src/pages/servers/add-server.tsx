import type { Output } from '@holdfast/sdk';
import { Group, Paper, SimpleGrid, Stack, TextInput, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { PageHead } from '../../components/page.tsx';
import { PlanLimitNote } from '../../components/plan-usage.tsx';
import { accountQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import { BotStep } from './bot-step.tsx';

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
        description="First choose its bot, then enter the server itself."
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

type ServerStepProps = {
  botId: string | undefined;
  onAdded: (server: Output<'createServer'>) => void;
};

const emptyServer = { platformGuildId: '', name: '', verifiedRoleId: '', logChannelId: '' };

/** Role and channel are optional here: the settings offer them by name. */
const ServerStep = ({ botId, onAdded }: ServerStepProps) => {
  const form = useApiForm(
    emptyServer,
    ({ platformGuildId, name, verifiedRoleId, logChannelId }) => {
      const body = {
        ...{ customBotId: botId ?? '', platformGuildId: platformGuildId.trim(), name: name.trim() },
        ...(verifiedRoleId && { verifiedRoleId: verifiedRoleId.trim() }),
        ...(logChannelId && { logChannelId: logChannelId.trim() }),
      };
      return api.createServer({ body });
    },
    {
      message: ({ name }) => `${name} was added`,
      invalidates: [queryKeys.servers, queryKeys.account, queryKeys.overview],
      onSuccess: onAdded,
    },
  );
  return (
    <ApiForm
      form={form}
      label="Add the server"
      isReady={botId !== undefined}
      errorTitle="The server was not added"
    >
      <TextInput
        label="Server ID"
        description="In the platform's app: switch developer mode on, right-click the server, Copy server ID."
        required
        inputMode="numeric"
        autoComplete="off"
        {...form.getInputProps('platformGuildId')}
      />
      <TextInput
        label="Name"
        description="Newcomers see it on the verify page."
        required
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Role for verified members (ID, optional)"
          description="Can be chosen by name in the settings afterwards."
          inputMode="numeric"
          autoComplete="off"
          {...form.getInputProps('verifiedRoleId')}
        />
        <TextInput
          label="Channel for reports (ID, optional)"
          description="Each verification is reported there."
          inputMode="numeric"
          autoComplete="off"
          {...form.getInputProps('logChannelId')}
        />
      </SimpleGrid>
    </ApiForm>
  );
};
