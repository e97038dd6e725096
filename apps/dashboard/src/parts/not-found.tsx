import { Button } from '@mantine/core';
import { IconCompass } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Empty } from './empty.tsx';
import { PageHead } from './page-head.tsx';

export const NotFound = () => (
  <>
    <PageHead title="Nothing here" />
    <Empty
      icon={IconCompass}
      title="There is no such page"
      action={
        <Button component={Link} to="/">
          Go to the overview
        </Button>
      }
    >
      It may have been deleted, or the address has a mistake in it.
    </Empty>
  </>
);
