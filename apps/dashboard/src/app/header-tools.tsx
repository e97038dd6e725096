import { Group } from '@mantine/core';
import { AccountMenu } from './account-menu.tsx';
import { AlertBell } from './alert-bell.tsx';
import { PaletteButton, type PaletteProps } from './palette-button.tsx';

export const HeaderTools = (palette: PaletteProps) => (
  <Group gap="xs" wrap="nowrap">
    <PaletteButton {...palette} />
    <AlertBell />
    <AccountMenu />
  </Group>
);
