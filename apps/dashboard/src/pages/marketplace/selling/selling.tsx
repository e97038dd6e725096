import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { PageHead } from '../../../components/page.tsx';
import { MarketNav } from '../market-nav.tsx';
import { CreateListing } from './listing-forms.tsx';
import { OwnListings } from './own-listings.tsx';
import { SellerBalance } from './seller-balance.tsx';
import { ToDeliver } from './to-deliver.tsx';

export const Selling = () => {
  const [isCreating, creating] = useDisclosure(false);
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={creating.open}>
      Sell something
    </Button>
  );
  return (
    <>
      <PageHead
        title="Selling"
        description="Your listings, the orders to deliver, and your earnings."
        actions={createButton}
      />
      <MarketNav />
      <Stack gap="lg">
        <ToDeliver />
        <OwnListings action={createButton} />
        <SellerBalance />
      </Stack>
      <CreateListing opened={isCreating} onClose={creating.close} />
    </>
  );
};
