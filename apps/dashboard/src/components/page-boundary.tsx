import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { Empty, PageHead } from './page.tsx';

type Props = {
  /** The address of the page; another one is tried anew. */
  place: string;
  /** For parts that a page can do without. */
  isOptional?: boolean;
  children: ReactNode;
};

/**
 * Shows that a page failed, where nothing would be shown at all: its code could not be loaded, such as after an
 * update of the service, or it has a mistake.
 */
export class PageBoundary extends Component<Props, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override componentDidUpdate({ place }: Props) {
    if (this.state.isBroken && place !== this.props.place) this.setState({ isBroken: false });
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return this.props.isOptional ? null : <BrokenPage />;
  }
}

const BrokenPage = () => (
  <>
    <PageHead title="This page could not be shown" />
    <Empty
      icon={IconPlugConnectedX}
      title="Load it again"
      action={<Button onClick={() => location.reload()}>Load the page again</Button>}
    >
      The connection may have been interrupted, or Holdfast was updated meanwhile. Nothing that you
      saved is lost.
    </Empty>
  </>
);
