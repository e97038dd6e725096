import { Button, Group, Select, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Loaded } from '../../components/list.tsx';
import { Note } from '../../components/page.tsx';
import { accountQuery, botsQuery } from '../../queries/account.ts';
import type { Bot } from '../../queries/records.ts';
import { AddBot } from '../bots/add-bot.tsx';

type BotStepProps = { botId: string | undefined; onChoose: (botId: string) => void };

/** Chooses the server's bot: an existing one, or a new one. */
export const BotStep = ({ botId, onChoose }: BotStepProps) => {
  const bots = useQuery(botsQuery);
  const [isAdding, setAdding] = useState(false);
  const only = bots.data?.length === 1 ? bots.data[0] : undefined;
  useEffect(() => {
    if (only && !botId) onChoose(only.id);
  }, [only, botId, onChoose]);
  return (
    <Loaded query={bots} height={80}>
      {(list) =>
        isAdding || list.length === 0 ? (
          <AddBot
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
  const { data: account } = useQuery(accountQuery);
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
        {!isFull && (
          <Button
            variant="default"
            onClick={onAdd}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Add another bot
          </Button>
        )}
      </Group>
      {chosen?.isActive === false && (
        <Note tone="warning">
          This bot is switched off. You can choose it, but it does nothing until it is on again.
        </Note>
      )}
    </Stack>
  );
};
