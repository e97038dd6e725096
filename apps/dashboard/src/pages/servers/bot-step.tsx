import { Button, Group, Select, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Note, TextLink } from '../../components/page.tsx';
import { thingsToDo } from '../../labels/bots.ts';
import { plural } from '../../labels/format.ts';
import { accountQuery, botsQuery } from '../../queries/account.ts';
import type { Bot } from '../../queries/records.ts';
import { botGuildsQuery, botSetupQuery } from '../../queries/setup.ts';
import { AddBot } from '../bots/add-bot.tsx';

type BotStepProps = { botId: string | undefined; onChoose: (botId: string) => void };

/** Chooses the server's bot: an existing one, or a new one. */
export const BotStep = ({ botId, onChoose }: BotStepProps) => {
  const bots = useQuery(botsQuery);
  const [isAdding, setAdding] = useState(false);
  const likely = useLikelyBot(bots.data ?? []);
  useEffect(() => {
    if (likely && !botId) onChoose(likely);
  }, [likely, botId, onChoose]);
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

/** The bot that is in a guild which is not added yet, else the newest; unknown until all have answered. */
const useLikelyBot = (bots: Bot[]): string | undefined => {
  const asked = bots.length > 1 ? bots : [];
  const guilds = useQueries({ queries: asked.map(({ id }) => botGuildsQuery(id)) });
  const [newest] = bots.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  if (guilds.some(({ isPending }) => isPending)) return undefined;
  const withFree = asked.find((_, index) =>
    guilds[index]?.data?.guilds.some(({ serverId }) => serverId === null),
  );
  return (withFree ?? newest)?.id;
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
      {chosen?.isActive && <ToDoNote bot={chosen} />}
    </Stack>
  );
};

/** What is missing on the platform can be done later, but nobody can verify before. */
const ToDoNote = ({ bot: { id } }: { bot: Bot }) => {
  const { data: setup } = useQuery(botSetupQuery(id));
  const toDo = setup && thingsToDo(setup);
  if (!toDo) return null;
  return (
    <Note tone="warning">
      This bot has {plural(toDo, 'thing')} to do on the platform before everything works.{' '}
      <TextLink to="/bots">See what</TextLink>
    </Note>
  );
};
