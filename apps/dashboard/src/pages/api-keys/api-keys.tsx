import { Button, Paper } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { KeyTable } from './key-table.tsx';
import { MintKey } from './mint-key.tsx';

export const ApiKeys = () => {
  const [isMinting, { open, close }] = useDisclosure();
  const page = usePageNumber();
  const keys = useQuery({
    queryKey: ['keys', page],
    queryFn: () => api.listKeys({ query: { page, limit: 20 } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const mintButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Mint a key
    </Button>
  );
  return (
    <>
      <PageHead
        title="API keys"
        description="For scripts, bots and pipelines. Give each its own key, and each key no more than it needs."
        actions={mintButton}
      />
      <Loaded query={keys} height={240}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Empty icon={IconKey} title="No keys yet" action={mintButton}>
              With a key, a program can do through the API what you do here.
            </Empty>
          ) : (
            <Paper withBorder p="lg" component="section" aria-label="Your keys">
              <KeyTable keys={data} />
              <PageTurner pagination={pagination} />
            </Paper>
          )
        }
      </Loaded>
      <MintKey opened={isMinting} onClose={close} />
    </>
  );
};
