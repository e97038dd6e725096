import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { AddBotForm } from '../bots/add-bot-form.tsx';
import type { Bot } from '../bots/bot-changes.ts';
import { RedirectNote } from '../bots/redirect-note.tsx';
import { PlanFull } from './plan-full.tsx';

type BotStepProps = { botId: string | undefined; onChoose: (botId: string) => void };

/** Which bot looks after the server: one that is there, or a new one. */
export const BotStep = ({ botId, onChoose }: BotStepProps) => {
  const bots = useQuery({ queryKey: ['bots'], queryFn: () => api.listBots() });
  const [isAdding, setAdding] = useState(false);
  const only = bots.data?.length === 1 ? bots.data[0] : undefined;
  useEffect(() => {
    if (only && !botId) onChoose(only.id);
  }, [only, botId, onChoose]);
  return (
    <Loaded query={bots} height={80}>
      {(list) =>
        isAdding || list.length === 0 ? (
          <AddBotForm
            onAdded={({ id }) => {
              setAdding(false);
              onChoose(id);
            }}
            onCancel={list.length === 0 ? undefined : () => setAdding(false)}
          />
        ) : (
          <Choice bots={list} botId={botId} onChoose={onChoose} onAdd={() => setAdding(true)} />
        )
      }
    </Loaded>
  );
};

type ChoiceProps = BotStepProps & { bots: Bot[]; onAdd: () => void };

const Choice = ({ bots, botId, onChoose, onAdd }: ChoiceProps) => {
  const { data: account } = useAccount();
  const most = account?.limits.maxBots ?? 0;
  const isFull = bots.length >= most;
  const chosen = bots.find(({ id }) => id === botId);
  return (
    <Stack gap="md">
      <Group align="flex-end">
        <Select
          label="Bot"
          placeholder="Choose a bot"
          data={bots.map(({ id, name }) => ({ value: id, label: name }))}
          value={botId ?? null}
          onChange={(id) => id && onChoose(id)}
          allowDeselect={false}
          flex={1}
          miw={200}
          required
        />
        <Button
          variant="default"
          onClick={onAdd}
          disabled={isFull}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          Add another bot
        </Button>
      </Group>
      {isFull && <PlanFull what="bot" most={most} />}
      {chosen?.isActive === false && (
        <Alert color="yellow" variant="light">
          This bot is switched off. It can be chosen, but nothing happens until it is on again.
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        The bot must be in the server already, with the permission to manage it: invite it from the
        developer portal.
      </Text>
      <RedirectNote />
    </Stack>
  );
};
