"""pytest-lsp's client, driven from tests that do not know asyncio."""

import asyncio
from pathlib import Path

import pytest

SERVER = Path("codegen/cli/opweave").absolute()


def tools():
    """What is needed of pytest-lsp, or the test is skipped."""
    try:
        import pytest_lsp
        from lsprotocol import types
        from pygls.protocol import default_converter
    except ImportError:
        pytest.skip("pytest-lsp is not installed (./dev setup installs it)")
    return pytest_lsp, types, default_converter


class Session:
    """An editor with some documents open."""

    def __init__(self):
        pytest_lsp, self.types, default_converter = tools()
        self.loop = asyncio.new_event_loop()
        self.client = pytest_lsp.LanguageClient(converter_factory=default_converter)
        self.versions = {}
        self.published = asyncio.Queue()
        types = self.types

        @self.client.feature("textDocument/publishDiagnostics")
        def publish(params: types.PublishDiagnosticsParams):
            self.published.put_nowait(params)

        self.wait(self.client.start_io(str(SERVER), "lsp"))
        # The client complains about answers that this editor would not understand.
        capabilities = pytest_lsp.client_capabilities("visual_studio_code")
        parameters = types.InitializeParams(capabilities=capabilities, root_uri=None)
        self.answer = self.wait(self.client.initialize_session(parameters))

    def wait(self, awaitable, seconds=20):
        return self.loop.run_until_complete(asyncio.wait_for(awaitable, seconds))

    def request(self, name, params):
        return self.wait(getattr(self.client, name)(params))

    def end(self):
        """The server's exit status."""
        self.wait(self.client.shutdown_async(None))
        self.client.exit(None)
        process = self.client._server
        status = self.wait(process.wait())
        self.wait(self.client.stop())
        self.loop.close()
        return status

    # --- documents

    def open(self, path, text=None):
        text = path.read_text(encoding="utf-8") if text is None else text
        self.versions[path] = 1
        item = self.types.TextDocumentItem(path.as_uri(), "yaml", 1, text)
        self.client.text_document_did_open(self.types.DidOpenTextDocumentParams(item))

    def edit(self, path, start, end, text):
        """Replaces what stands between two (line, character)."""
        self.versions[path] += 1
        types = self.types
        change = types.TextDocumentContentChangeEvent_Type1(
            range=types.Range(types.Position(*start), types.Position(*end)), text=text
        )
        document = types.VersionedTextDocumentIdentifier(self.versions[path], path.as_uri())
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def diagnostics(self, path, version=None, seconds=20):
        """What is published for a document next (of that version, if it is open)."""
        while True:
            params = self.wait(self.published.get(), seconds)
            if params.uri == path.as_uri() and (version is None or params.version == version):
                return params.diagnostics

    # --- requests at a place of a text

    def place(self, path, text, at, further=0):
        found = text.index(at) + further
        line = text.count("\n", 0, found)
        before = text[text.rfind("\n", 0, found) + 1 : found]
        position = self.types.Position(line, len(before.encode("utf-16-le")) // 2)
        return {
            "text_document": self.types.TextDocumentIdentifier(path.as_uri()),
            "position": position,
        }

    def hover(self, *place):
        params = self.types.HoverParams(**self.place(*place))
        found = self.request("text_document_hover_async", params)
        return found.contents.value if found else ""

    def jump(self, kind, *place):
        params = getattr(self.types, f"{kind.title()}Params")(**self.place(*place))
        return self.spots(self.request(f"text_document_{kind}_async", params))

    def references(self, *place):
        context = self.types.ReferenceContext(include_declaration=True)
        params = self.types.ReferenceParams(context=context, **self.place(*place))
        return self.spots(self.request("text_document_references_async", params))

    def completions(self, *place):
        params = self.types.CompletionParams(**self.place(*place))
        found = self.request("text_document_completion_async", params)
        return {item.label for item in found.items}

    @staticmethod
    def spots(locations):
        """`folder/file:line` of each, lines from one."""
        return [
            f"{'/'.join(Path(place.uri).parts[-2:])}:{place.range.start.line + 1}"
            for place in locations
        ]
