import { Button, Group } from '@mantine/core';
import { Link, useLocation } from 'react-router';

const pages = [
  { to: '/marketplace', label: 'Browse' },
  { to: '/marketplace/orders', label: 'Orders' },
  { to: '/marketplace/selling', label: 'Selling' },
];

/** Links between the pages of the marketplace. */
export const MarketNav = () => {
  const { pathname } = useLocation();
  return (
    <Group component="nav" aria-label="Marketplace" gap="xs" mb="lg">
      {pages.map(({ to, label }) => {
        const isHere = pathname === to;
        return (
          <Button
            key={to}
            component={Link}
            to={to}
            size="sm"
            variant={isHere ? 'light' : 'subtle'}
            aria-current={isHere ? 'page' : undefined}
          >
            {label}
          </Button>
        );
      })}
    </Group>
  );
};
