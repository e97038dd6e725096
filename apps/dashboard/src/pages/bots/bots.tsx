import { Box, Button, Modal } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { api } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { PlanFull } from '../servers/plan-full.tsx';
import { AddBotForm } from './add-bot-form.tsx';
import { BotList } from './bot-list.tsx';

export const Bots = () => {
  const bots = useQuery({
    queryKey: ['bots'],
    queryFn: () => api.listBots(),
    refetchInterval: 10_000,
  });
  const { data: account } = useAccount();
  // In the address, so that the first steps can lead straight to it.
  const [search, setSearch] = useSearchParams();
  const showAdding = (isShown: boolean) => setSearch(isShown ? { add: '' } : {}, { replace: true });
  const stopAdding = () => showAdding(false);
  const most = account?.limits.maxBots ?? 0;
  const isFull = account !== undefined && account._count.customBots >= most;
  const addButton = (
    <Button
      onClick={() => showAdding(true)}
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
        description="Your own applications at the platform, through which Holdfast does its work."
        actions={addButton}
      />
      {isFull && (
        <Box mb="md">
          <PlanFull what="bot" most={most} />
        </Box>
      )}
      <Loaded query={bots}>{(list) => <BotList bots={list} addButton={addButton} />}</Loaded>
      <Modal opened={search.has('add') && !isFull} onClose={stopAdding} title="Add a bot" size="lg">
        <AddBotForm onAdded={stopAdding} onCancel={stopAdding} />
      </Modal>
    </>
  );
};
