import { contrast, leastContrast } from '@holdfast/contract/checks';
import {
  ColorInput,
  ColorSwatch,
  Grid,
  Group,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.tsx';
import { OpenVerifyPage } from '../../components/open-verify-page.tsx';
import { PageHead, Section } from '../../components/page.tsx';
import { PictureField } from '../../components/picture-field.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { type VerifyPage, verifyPageQuery } from '../../queries/panels.ts';
import { useServer } from '../../queries/servers.ts';
import { PagePreview } from './page-preview.tsx';
import { useVerifyPage, type VerifyPageForm } from './use-verify-page.ts';

export const VerifyPageSettings = () => {
  const { id } = useServer();
  const page = useQuery(verifyPageQuery(id));
  return (
    <>
      <PageHead
        title="Verify page"
        description="What newcomers see when they press the button of a panel or open the verify link. Changes show in the preview at once and to newcomers when you save them."
        actions={<OpenVerifyPage serverId={id} />}
      />
      <Loaded query={page} height={480}>
        {(stored) => <Editor serverId={id} stored={stored} />}
      </Loaded>
    </>
  );
};

const Editor = ({ serverId, stored }: { serverId: string; stored: VerifyPage }) => {
  const form = useVerifyPage(serverId, stored);
  const isReady = form.changed.length > 0 && form.accentProblem === undefined;
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) form.save.mutate();
          }}
        >
          <Stack gap="md">
            <Texts form={form} />
            <Colour form={form} />
            <Pictures form={form} />
            <SaveBar
              count={form.changed.length}
              save={form.save}
              isErrorAtFields={form.isErrorAtFields}
              onDiscard={form.discard}
            >
              {form.accentProblem && (
                <Text size="sm" c="var(--mantine-color-error)">
                  The colour cannot be saved: {form.accentProblem.toLowerCase()}.
                </Text>
              )}
            </SaveBar>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <div style={{ position: 'sticky', top: 72 }}>
          <PagePreview serverId={serverId} looks={form.looks} />
        </div>
      </Grid.Col>
    </Grid>
  );
};

type PartProps = { form: VerifyPageForm };

const Texts = ({ form: { looks, edit, errorOf } }: PartProps) => (
  <Section title="Texts">
    <Stack gap="md">
      <TextInput
        label="Heading"
        description="Left empty, newcomers read this in their own language."
        placeholder="Verify to come in"
        value={looks.title}
        onChange={({ currentTarget }) => edit({ title: currentTarget.value })}
        error={errorOf('title')}
        maxLength={100}
      />
      <Textarea
        label="Welcome"
        description="Plain text above what is asked of newcomers. Line breaks stay."
        placeholder="Left empty, the page says in a sentence why newcomers verify and how long it takes."
        value={looks.welcome}
        onChange={({ currentTarget }) => edit({ welcome: currentTarget.value })}
        error={errorOf('welcome')}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={1000}
      />
    </Stack>
  </Section>
);

const Colour = ({ form }: PartProps) => {
  const { accent } = form.looks;
  return (
    <Section title="Colour">
      <Stack gap="xs">
        <ColorInput
          label="Accent"
          description="Buttons and links. Dark mode uses a lighter shade. Left empty, Holdfast's own."
          placeholder={ownAccent}
          {...(accent === '' && { leftSection: <ColorSwatch color={ownAccent} size={18} /> })}
          format="hex"
          value={accent}
          onChange={(value) => form.edit({ accent: value })}
          error={form.accentProblem ?? form.errorOf('accent')}
          swatches={swatches}
          maw={360}
          eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
        />
        {/^#[0-9a-f]{6}$/i.test(accent) && <Contrast accent={accent} />}
      </Stack>
    </Section>
  );
};

/** What the page has unless another is chosen. */
const ownAccent = '#0f5f66';

/** All of them have the contrast that the service demands. */
const swatches = [ownAccent, '#1c4f8b', '#4338a8', '#7b2d8e', '#a61e4d', '#a8390b', '#2b6a30'];

const Contrast = ({ accent }: { accent: string }) => {
  const ratio = contrast(accent, '#FFFFFF');
  return (
    <Group gap="xs" role="status">
      <Text size="sm" px="sm" py={2} bg={accent} c="#fff" style={{ borderRadius: 6 }} aria-hidden>
        Verify me
      </Text>
      <Text size="sm" c="dimmed">
        White text on it has a contrast of {ratio.toFixed(1)}; at least {leastContrast} is needed.
      </Text>
    </Group>
  );
};

const Pictures = ({ form: { looks, edit, errorOf } }: PartProps) => (
  <Section title="Pictures">
    <Stack gap="lg">
      <PictureField
        label="Logo"
        description="In place of the server's icon; best square."
        picture={looks.logo}
        onChange={(logo) => edit({ logo })}
        error={errorOf('logoUploadId')}
      />
      <PictureField
        label="Background"
        description="Behind the card, as large as the window."
        picture={looks.background}
        onChange={(background) => edit({ background })}
        error={errorOf('backgroundUploadId')}
      />
    </Stack>
  </Section>
);
