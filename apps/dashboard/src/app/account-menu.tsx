import {
  ActionIcon,
  Group,
  Menu,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import {
  IconBook,
  IconCode,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Name, Picture } from '../components/display.tsx';
import { accountQuery } from '../queries/account.ts';

/** Each press switches to the next. */
const schemes = {
  light: { next: 'dark', icon: IconSun, label: 'Light' },
  dark: { next: 'auto', icon: IconMoon, label: 'Dark' },
  auto: { next: 'light', icon: IconDeviceDesktop, label: 'As the system' },
} as const;

export const AccountMenu = () => {
  const { data: account } = useQuery(accountQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { next, icon: Glyph, label } = schemes[colorScheme];
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Colours: ${label}. Change to ${schemes[next].label}`}
        onClick={() => setColorScheme(next)}
      >
        <Glyph size={20} stroke={1.6} aria-hidden />
      </ActionIcon>
      {account && (
        <Menu position="bottom-end" width={220}>
          <Menu.Target>
            <UnstyledButton>
              <Group gap="xs" wrap="nowrap">
                <Picture src={account.avatar} size={32} />
                <Text span hiddenFrom="sm">
                  <VisuallyHidden>Your account</VisuallyHidden>
                </Text>
                <Text size="sm" visibleFrom="sm" truncate maw={160}>
                  <Name>{account.displayName}</Name>
                </Text>
              </Group>
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              component={Link}
              to="/account"
              leftSection={<IconUser size={16} aria-hidden />}
            >
              Account and security
            </Menu.Item>
            <Menu.Item
              component="a"
              href="/guides"
              leftSection={<IconBook size={16} aria-hidden />}
            >
              Guides
            </Menu.Item>
            <Menu.Item component="a" href="/docs" leftSection={<IconCode size={16} aria-hidden />}>
              API reference
            </Menu.Item>
            <Menu.Divider />
            <form method="post" action="/logout">
              <Menu.Item
                component="button"
                type="submit"
                closeMenuOnClick={false}
                leftSection={<IconLogout size={16} aria-hidden />}
              >
                Sign out
              </Menu.Item>
            </form>
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
};
