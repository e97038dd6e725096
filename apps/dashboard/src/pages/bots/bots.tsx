import { Badge, Box, Button, Group, Modal, Paper, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { api } from '../../api.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Moment, Name, Picture } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Empty, Note, PageHead } from '../../components/page.tsx';
import { PlanLimitNote } from '../../components/plan-usage.tsx';
import { botBadge, thingsToDo } from '../../labels/bots.ts';
import { accountQuery, botsQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Bot } from '../../queries/records.ts';
import { botSetupQuery } from '../../queries/setup.ts';
import { AddBot } from './add-bot.tsx';
import { BotSetup, DeleteButton } from './bot-setup.tsx';
import { EditBotForm } from './edit-bot.tsx';

export const Bots = () => {
  const bots = useQuery(botsQuery);
  const { data: account } = useQuery(accountQuery);
  // In the address, so that the first steps can link to the form.
  const [search, setSearch] = useSearchParams();
  const showForm = (isShown: boolean) => setSearch(isShown ? { add: '' } : {}, { replace: true });
  const close = () => showForm(false);
  const most = account?.limits.maxBots ?? 0;
  const isFull = account !== undefined && account._count.customBots >= most;
  const addButton = (
    <Button
      onClick={() => showForm(true)}
      disabled={isFull}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      Add a bot
    </Button>
  );
  return (
    <>
      <PageHead
        title="Bots"
        description="Your own applications on the platform, through which Holdfast works."
        actions={addButton}
      />
      {isFull && (
        <Box mb="md">
          <PlanLimitNote what="bot" most={most} />
        </Box>
      )}
      <Loaded query={bots}>{(list) => <BotList bots={list} addButton={addButton} />}</Loaded>
      <Modal opened={search.has('add') && !isFull} onClose={close} title="Add a bot" size="lg">
        <AddBot onAdded={close} onCancel={close} />
      </Modal>
    </>
  );
};

const BotList = ({ bots, addButton }: { bots: Bot[]; addButton: ReactNode }) => {
  const [edited, setEdited] = useState<Bot>();
  const [deleted, setDeleted] = useState<Bot>();
  const stopEditing = () => setEdited(undefined);
  if (bots.length === 0) {
    return (
      <Empty icon={IconRobot} title="No bot yet" action={addButton}>
        Create an application in the platform's developer portal and paste the token of its bot
        here. Everything else is read from the platform.
      </Empty>
    );
  }
  return (
    <Stack>
      {bots.map((bot) => (
        <BotCard
          key={bot.id}
          bot={bot}
          onEdit={() => setEdited(bot)}
          onDelete={() => setDeleted(bot)}
        />
      ))}
      <Modal opened={edited !== undefined} onClose={stopEditing} title="Edit the bot" size="lg">
        {edited && <EditBotForm bot={edited} onDone={stopEditing} />}
      </Modal>
      <DeleteBot bot={deleted} onClose={() => setDeleted(undefined)} />
    </Stack>
  );
};

const DeleteBot = ({ bot, onClose }: { bot: Bot | undefined; onClose: () => void }) => (
  <ConfirmDialog
    isDangerous
    opened={bot !== undefined}
    onClose={onClose}
    title="Delete this bot"
    word={bot?.name}
    label="Delete the bot"
    action={async () => bot && api.deleteBot({ params: { id: bot.id } })}
    message="The bot was deleted"
    invalidates={[queryKeys.bots, queryKeys.account]}
  >
    <Stack gap="xs">
      <Text size="sm">
        Holdfast deletes the token and the secret of <Name>{bot?.name ?? ''}</Name>, and the consent
        that members gave through it: they can no longer be brought back with it. On the platform
        the bot stays as it is.
      </Text>
      <Text size="sm">
        A bot that a server uses cannot be deleted. Choose another bot in that server's settings
        first.
      </Text>
    </Stack>
  </ConfirmDialog>
);

/** Whether everything is right: being connected alone is not enough to verify anybody. */
const ConnectionBadge = ({ bot: { id, connection, isActive } }: { bot: Bot }) => {
  const { data: setup } = useQuery({ ...botSetupQuery(id), enabled: isActive });
  const { label, color } = botBadge(connection, setup && thingsToDo(setup));
  return <Badge color={color}>{label}</Badge>;
};

type BotCardProps = { bot: Bot; onEdit: () => void; onDelete: () => void };

const BotCard = ({ bot, onEdit, onDelete }: BotCardProps) => (
  <Paper withBorder p="lg" component="article" aria-labelledby={`bot-${bot.id}`}>
    <Group justify="space-between" gap="md" wrap="nowrap" align="flex-start">
      <Group gap="md" wrap="nowrap" miw={0}>
        <Picture src={bot.avatar} size={48} />
        <Stack gap={2} miw={0}>
          <Group gap="xs">
            <Title order={2} size="h5" id={`bot-${bot.id}`}>
              <Name>{bot.name}</Name>
            </Title>
            <ConnectionBadge bot={bot} />
          </Group>
          <Text size="sm" c="dimmed">
            Added <Moment at={bot.createdAt} />
          </Text>
        </Stack>
      </Group>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={onEdit} aria-describedby={`bot-${bot.id}`}>
          Edit
        </Button>
        {!bot.isActive && <DeleteButton bot={bot} onDelete={onDelete} />}
      </Group>
    </Group>
    {bot.isActive && bot.trouble !== null && (
      <Box mt="md">
        {bot.connection === 'REFUSED' ? (
          <Note tone="danger" title="The platform refuses its connection">
            {bot.trouble}
          </Note>
        ) : (
          <Note tone="danger" title="The platform refuses its client secret">
            Nobody can verify. Edit the bot to enter a new one.
          </Note>
        )}
      </Box>
    )}
    {!bot.isActive && (
      <Text size="sm" mt="sm">
        Either you switched it off, or the platform refused its token. Edit it to enter a new token
        or to switch it on again; the token is then checked.
      </Text>
    )}
    {bot.isActive && <BotSetup bot={bot} onEdit={onEdit} onDelete={onDelete} />}
  </Paper>
);
