import { Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { CopyField } from '../../components/copy-field.tsx';
import { verifyLink } from '../../labels/verify-link.ts';

type FirstStepsProps = { hasBot: boolean; serverId: string | undefined };

/** From an empty account to the first verified member. */
export const FirstSteps = ({ hasBot, serverId }: FirstStepsProps) => (
  <Paper withBorder p="lg" component="section" aria-labelledby="first-steps">
    <Title order={2} size="h4" id="first-steps" mb="md">
      Three steps to begin
    </Title>
    <Stack gap="lg" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
      <Step number={1} title="Add a bot" isDone={hasBot}>
        <Text c="dimmed">
          Your own application on the platform: members give their consent to it, and it works in
          your server.
        </Text>
        {!hasBot && <StepLink to="/bots?add">Add a bot</StepLink>}
      </Step>
      <Step number={2} title="Add a server" isDone={serverId !== undefined}>
        <Text c="dimmed">Tell Holdfast which server the bot is in.</Text>
        {!serverId && (
          <StepLink to="/servers/new" isSecond={!hasBot}>
            Add a server
          </StepLink>
        )}
      </Step>
      <Step number={3} title="Share the verify link" isDone={false}>
        <Text c="dimmed">
          People who verify through it appear under Members, and can be brought back if they agree.
        </Text>
        {serverId && <CopyField label="Verify link" value={verifyLink(serverId)} />}
      </Step>
    </Stack>
  </Paper>
);

const StepLink = (props: { to: string; children: string; isSecond?: boolean }) => (
  <Group>
    <Button
      component={Link}
      to={props.to}
      size="sm"
      variant={props.isSecond ? 'default' : 'filled'}
    >
      {props.children}
    </Button>
  </Group>
);

type StepProps = { number: number; title: string; isDone: boolean; children: ReactNode };

const Step = ({ number, title, isDone, children }: StepProps) => (
  <Group component="li" wrap="nowrap" align="flex-start" gap="md">
    <ThemeIcon
      variant="light"
      radius="xl"
      size={32}
      color={isDone ? 'green' : undefined}
      aria-hidden
    >
      {isDone ? <IconCheck size={18} /> : number}
    </ThemeIcon>
    <Stack gap="xs" flex={1} miw={0}>
      <Title order={3} size="h5">
        {title}
        {isDone && ' – done'}
      </Title>
      {children}
    </Stack>
  </Group>
);
