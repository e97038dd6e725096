import { Modal, Stack } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { BotCard } from './bot-card.tsx';
import type { Bot } from './bot-changes.ts';
import { DeleteBot } from './delete-bot.tsx';
import { EditBotForm } from './edit-bot-form.tsx';

export const BotList = ({ bots, addButton }: { bots: Bot[]; addButton: ReactNode }) => {
  const [edited, setEdited] = useState<Bot>();
  const [deleted, setDeleted] = useState<Bot>();
  const stopEditing = () => setEdited(undefined);
  if (bots.length === 0) return <NoBot addButton={addButton} />;
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

const NoBot = ({ addButton }: { addButton: ReactNode }) => (
  <Empty icon={IconRobot} title="No bot yet" action={addButton}>
    Make an application in the platform's developer portal, invite its bot to your server, and bring
    its token here.
  </Empty>
);
