import { Anchor, Button, Group, List, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import {
  IconAlertCircle,
  IconCheck,
  IconExternalLink,
  IconQuestionMark,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CopyField } from '../../components/copy-field.tsx';
import { intentLabels } from '../../labels/bots.ts';
import type { Bot, LookedUpBot } from '../../queries/records.ts';

/** Null where the platform could not be asked. */
type CheckState = boolean | null;

const marks = {
  true: { color: 'green', icon: IconCheck, label: 'Done' },
  false: { color: 'yellow', icon: IconAlertCircle, label: 'To do' },
  null: { color: 'gray', icon: IconQuestionMark, label: 'Not known' },
} as const;

type CheckProps = { title: string; state: CheckState; children?: ReactNode };

/** One thing that has to be right on the platform, and what to do where it is not. */
const Check = ({ title, state, children }: CheckProps) => {
  const { color, icon: Glyph, label } = marks[`${state}`];
  return (
    // What is done comes last.
    <Group
      component="li"
      gap="sm"
      wrap="nowrap"
      align="flex-start"
      style={{ order: state ? 1 : 0 }}
    >
      <ThemeIcon variant="light" color={color} radius="xl" size={24} aria-label={label} role="img">
        <Glyph size={16} aria-hidden />
      </ThemeIcon>
      <Stack gap={6} flex={1} miw={0}>
        <Text fw={500}>{title}</Text>
        {children}
      </Stack>
    </Group>
  );
};

export const CheckList = ({ label, children }: { label: string; children: ReactNode }) => (
  <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: 'none' }} aria-label={label}>
    {children}
  </Stack>
);

/** A page of the platform, in a window of its own. */
export const PortalLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor href={href} target="_blank" rel="noopener" inherit underline="always">
    {children}
    <IconExternalLink size={14} aria-hidden style={{ verticalAlign: '-2px', marginLeft: 3 }} />
    <VisuallyHidden> (opens in a new window)</VisuallyHidden>
  </Anchor>
);

type Portal = LookedUpBot['portal'];

type RedirectCheckProps = {
  redirectUri: string;
  portal: Portal;
  isSet: CheckState;
  onCheck: () => void;
  isChecking: boolean;
};

/** Nobody can verify until this address is registered on the platform. */
export const RedirectCheck = (props: RedirectCheckProps) => {
  const { redirectUri, portal, isSet, onCheck, isChecking } = props;
  if (isSet) return <Check title="The redirect is registered" state />;
  return (
    <Check title="Register the redirect" state={isSet}>
      <Text size="sm" c="dimmed">
        Add this address under Redirects on the{' '}
        <PortalLink href={portal.oauth}>OAuth2 page</PortalLink> and save. Until then the platform
        refuses everybody who tries to verify.
      </Text>
      <CopyField label="Redirect" value={redirectUri} />
      <Group>
        <Button variant="light" size="xs" onClick={onCheck} loading={isChecking}>
          Check again
        </Button>
      </Group>
    </Check>
  );
};

type IntentCheckProps = { missing: Bot['intents']['missing'] | null; portal: Portal };

export const IntentCheck = ({ missing, portal }: IntentCheckProps) => {
  if (missing?.length === 0) return <Check title="All intents are switched on" state />;
  return (
    <Check title="Switch on the intents" state={missing && false}>
      <Text size="sm" c="dimmed">
        On the <PortalLink href={portal.bot}>Bot page</PortalLink>, under Privileged Gateway
        Intents:
      </Text>
      <List size="sm">
        {(missing ?? []).map((intent) => (
          <List.Item key={intent}>{intentLabels[intent]}</List.Item>
        ))}
      </List>
    </Check>
  );
};

type PublicKeyCheckProps = { isGood: boolean; portal: Portal; onEdit?: () => void };

export const PublicKeyCheck = ({ isGood, portal, onEdit }: PublicKeyCheckProps) =>
  isGood ? (
    <Check title="Public key matches" state />
  ) : (
    <Check title="Correct the public key" state={false}>
      <Text size="sm" c="dimmed">
        It is not the one on the{' '}
        <PortalLink href={portal.general}>General Information page</PortalLink>. Everything else
        works, but the platform's reports of members who remove the application are refused.
      </Text>
      {onEdit && (
        <Group>
          <Button variant="light" size="xs" onClick={onEdit}>
            Enter the public key
          </Button>
        </Group>
      )}
    </Check>
  );
